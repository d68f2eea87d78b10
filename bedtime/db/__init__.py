"""The one door to SQLite: connections, the write lock, named transactions, migrations, copies.

What PostgreSQL would do otherwise stays in here; the floors above write SQL that both understand.
"""

from bedtime.db.connection import Connection, Cursor, Row, listed
from bedtime.db.database import Database

__all__ = ["Connection", "Cursor", "Database", "Row", "listed"]
