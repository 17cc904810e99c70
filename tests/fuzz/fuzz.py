"""Run the fuzz targets: ./dev fuzz [SECONDS] [TARGET…]

SECONDS (600) is the time for all of them together; each gets its share, as many at once as there are
processors.  New inputs are kept in CORPUS, the next run goes on from there.  Exit status 1 when a target
found something; the line of the target names the input, which reproduces it:

  build-fuzz/tests/fuzz/fuzz_json FILE"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ["TOOLHOST_FUZZ_BUILD"])
# target: dictionary, longest input
TARGETS = {
    "json": ("json", 2048), "schema": ("schema", 2048), "repair": ("schema", 1024), "regex": ("regex", 512),
    "format": (None, 128), "mend": ("json", 1024), "http": ("http", 2048), "frame": (None, 2048),
    "ring": ("json", 1024), "template": (None, 256), "message": ("json", 2048), "jwt": ("json", 2048), "front": ("yaml", 1024),
    "actions": ("actions", 4096), "realtime": ("json", 4096), "agui": ("json", 2048), "guard": ("json", 2048),
    "openapi": ("openapi", 8192), "functions": ("functions", 4096),
}


def command(target, seconds, corpus, findings):
    dictionary, longest = TARGETS[target]
    words = [BUILD / f"tests/fuzz/fuzz_{target}", f"-max_total_time={seconds}", f"-max_len={longest}", "-timeout=10",
             "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={findings}/"]
    if dictionary:
        words.append(f"-dict={HERE / (dictionary + '.dict')}")
    return [str(word) for word in [*words, corpus, HERE / "seeds" / target]]


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def why(log):
    """The line of the log that says what was found."""
    for pattern in (r".*does not hold:.*", r".*runtime error:.*", r"SUMMARY:.*", r"==\d+== ?ERROR:.*"):
        found = re.search(pattern, log)
        if found:
            return found.group(0).strip()
    return log.strip().splitlines()[-1] if log.strip() else "it said nothing"


def run(target, seconds):
    corpus, findings = BUILD / "corpus" / target, BUILD / "findings" / target
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    done = subprocess.run(command(target, seconds, corpus, findings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace",
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"})
    (BUILD / f"fuzz_{target}.log").write_text(done.stdout)
    found = sorted(path for path in set(findings.iterdir()) - before if not path.name.startswith("slow-unit-"))
    return {"target": target, "execs": number(r"stat::number_of_executed_units:\s*(\d+)", done.stdout)
            or number(r"#(\d+)", done.stdout),
            "coverage": number(r"cov: (\d+)", done.stdout), "found": found, "good": done.returncode == 0 and not found,
            "why": "" if done.returncode == 0 else why(done.stdout)}


def show(result):
    print(f"{result['target']:8}{result['execs']:>12,} inputs{result['coverage']:>8,} edges   "
          f"{'no finding' if result['good'] else 'FOUND: ' + result['why']}", flush=True)
    for path in result["found"]:
        print(f"{'':8}{BUILD / 'tests/fuzz' / ('fuzz_' + result['target'])} {path}", flush=True)


def main():
    words = sys.argv[1:]
    total = int(words.pop(0)) if words and words[0].isdigit() else 600
    unknown = set(words) - set(TARGETS)
    if unknown:
        sys.exit(f"fuzz: there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    targets = words or list(TARGETS)
    at_once = len(os.sched_getaffinity(0))
    share = max(1, total * at_once // len(targets))
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        results = []
        for job in concurrent.futures.as_completed([pool.submit(run, target, share) for target in targets]):
            results.append(job.result())
            show(results[-1])
    bad = sum(not result["good"] for result in results)
    print(f"{sum(result['execs'] for result in results):,} inputs, {bad} target{'s' if bad != 1 else ''} with findings")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
