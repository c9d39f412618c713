"""What a person waits for before the first result: import, warm-up from the disk, first ensemble; and the memory."""

import subprocess
import sys

PROGRAM = """
import time, resource
start = time.perf_counter()
import bnengine as bn
imported = time.perf_counter()
bn.warm_up()
warm = time.perf_counter()
data = bn.load_network("alarm").sample(1000, rng=1)
bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200))
done = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"import {imported - start:.2f} s, warm-up {warm - imported:.2f} s, "
      f"200 replicates of ALARM N = 1,000 {done - warm:.2f} s, peak memory {peak:.0f} MB")
"""

if __name__ == "__main__":
    for _ in range(3):
        print(
            subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout.strip()
        )
