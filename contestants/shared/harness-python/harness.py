"""Does what dyno alone asks of a contestant: an address, a worker for each CPU, a quick stop with status 0. It is
not counted as the contestant's source.

    python harness.py uvicorn app:app --host {host} --port {port} --workers {workers}

runs a module as python -m does.
"""
import os
import runpy
import signal
import sys

LIMIT = 30  # connections to a database, so that three servers share one with PostgreSQL's max_connections = 100

workers = min(len(os.sched_getaffinity(0)), LIMIT)


def share(connections):
    """Returns how many connections the pool of one worker may have: so many, or less if there are many workers."""
    return min(connections, LIMIT // workers)


if __name__ == "__main__":
    host, port = os.environ["DYNO_ADDR"].rsplit(":", 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.argv = [arg.format(host=host, port=port, workers=workers) for arg in sys.argv[1:]]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
