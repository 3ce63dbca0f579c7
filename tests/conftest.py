"""One thread for torch in the test process: worker tests fork it, and a child forked from a running OpenMP pool hangs."""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
