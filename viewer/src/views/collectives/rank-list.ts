// Lists of numbers as the command prints them, such as "0, 2-3".

/** The numbers of a list, in its order. */
export function parseList(list: string): number[] {
  const numbers: number[] = [];
  for (const item of list.split(",")) {
    const [first = NaN, last = first] = item.trim().split("-").map(Number);
    for (let number = first; number <= last; number++) numbers.push(number);
  }
  return numbers;
}

/** The list of numbers, with ranges for consecutive ones. */
export function formatList(numbers: number[]): string {
  const items: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let end = i;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end]! + 1) end++;
    items.push(end === i ? `${numbers[i]}` : `${numbers[i]}-${numbers[end]}`);
    i = end + 1;
  }
  return items.join(", ");
}
