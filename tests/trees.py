"""A copy of the product's tree for a test that changes it: other files, or a few words of one."""

import shutil
from pathlib import Path

from running import ROOT


def tree_of(root: Path) -> Path:
    """All that it needs to run; what no test changes is linked."""
    (root / "tests").mkdir(parents=True)
    shutil.copytree(ROOT / "bedtime", root / "bedtime")
    for file in ("app.py", "tests/launch.py"):
        shutil.copy2(ROOT / file, root / file)
    for folder in ("templates", "static"):
        (root / folder).symlink_to(ROOT / folder)
    return root


def change(root: Path, file: str, old: str, new: str) -> None:
    """Put `new` in the place of `old`, which must stand there exactly once."""
    path = root / file
    text = path.read_text()
    assert text.count(old) == 1, f"{file} holds {text.count(old)} times what this mutant changes:\n{old}"
    path.write_text(text.replace(old, new))
