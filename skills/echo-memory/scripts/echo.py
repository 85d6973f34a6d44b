#!/usr/bin/env python3
"""The memory's command line, run in place: nothing needs to be installed but Python 3.11."""

import sys

if sys.version_info < (3, 11):  # said before anything is imported that an older Python cannot read
    sys.exit("echo.py needs Python 3.11 or newer; run it as python3.11 echo.py …")

from echo_memory.cli import main

if __name__ == "__main__":
    sys.exit(main())
