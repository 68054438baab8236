"""Print count, minimum, mean and maximum of each column of numbers in table.csv."""
import csv
import pathlib

path = pathlib.Path(__file__).resolve().parent.parent / "table.csv"
with path.open(newline="", encoding="utf-8-sig") as file:
    sample = file.read(20_000)
    file.seek(0)
    rows = list(csv.DictReader(file, dialect=csv.Sniffer().sniff(sample, ",;\t|")))

print(f"{len(rows)} rows")
for column in rows[0] if rows else []:
    numbers, unread = [], []
    for line, row in enumerate(rows, start=2):
        try:
            numbers.append(float((row[column] or "").replace(" ", "")))
        except ValueError:
            unread.append(line)
    if not numbers:
        continue
    print(f"{column}: {len(numbers)} numbers, minimum {min(numbers):g}, mean {sum(numbers) / len(numbers):g}, maximum {max(numbers):g}")
    if unread:
        print(f"  no number in {len(unread)} rows, first in line {unread[0]}")
