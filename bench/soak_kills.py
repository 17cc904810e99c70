"""A million calls with ids, each asked for by two connections at a time, through a daemon that is killed a
hundred times: does one run twice, is a result lost that was told?

  ./dev soak kills [KILLS] [IDS]

Every run leaves a line in a file; at the end each id is asked for once more, of a daemon that was killed once
more: what was told before must be told again, to the letter."""

import argparse
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from racing import Race  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", nargs="?", type=int, default=100)
    parser.add_argument("ids", nargs="?", type=int, default=1_000_000)
    return parser.parse_args()


def main():
    options = parse()
    begun = time.monotonic()
    with Race(ids=options.ids, kills=options.kills) as race:
        race.run()
        print(f"{race.seconds:.0f} s, {race.answers / race.seconds:.0f} answers/s: {dict(race.seen)}", flush=True)
        race.ask_again()
        for name, figure in race.check().items():
            print(f"{figure:10}  {name}")
        print(f"the longest start of a daemon took {race.down:.2f} s; all of it {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
