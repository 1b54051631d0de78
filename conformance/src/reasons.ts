// Clauses that no test from outside can show, and why.

export const reasons: ReadonlyMap<string, string> = new Map([
  ['0.2.2', 'a database that cannot be reached is not in the hands of a client'],
  ['8.5.1', 'a process that cannot keep up would have to be brought about'],
])
