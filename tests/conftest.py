"""One thread for torch in the test process: worker tests fork it, and forked from a running OpenMP pool they hang."""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
