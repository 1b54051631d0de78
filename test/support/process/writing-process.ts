// Started by a test that kills it: writes numbers, from its second argument on, into the database named by its first,
// and prints each number once its write was answered.

import { writeSync } from 'node:fs'
import { defaultLimits } from '../../../src/limits.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import { bind, command } from '../../../src/store/store.ts'

const store = await openStore(process.argv[2]!, { limits: defaultLimits, log: console })
const insert = command(`insert into number (value) values (${dialectOf(store.engine).parameter(1)})`)

async function writeOne(value: number): Promise<void> {
  await store.write(function* () {
    yield bind(insert, value)
  })
  writeSync(1, `${value}\n`)
}

for (let next = Number(process.argv[3]); ; next += 8)
  await Promise.all(Array.from({ length: 8 }, (_, at) => writeOne(next + at)))
