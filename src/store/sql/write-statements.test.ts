import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { sqliteDialect } from './text/dialect.ts'
import { createWriteStatements } from './write/write-statements.ts'

const product = compileModel(api).byName.get('Product')!

test('8.4.5 statements that change other columns each time push out the oldest, and no more is held', () => {
  const statements = createWriteStatements(sqliteDialect)
  const columns = product.columns.filter(({ name }) => name !== 'id')
  const subset = (bits: number) => columns.filter((_, at) => ((bits >> at) & 1) === 1)
  const first = statements.change(product, subset(1))
  assert.equal(statements.change(product, subset(1)), first)
  const others = Math.min(2 ** columns.length, 4_096)
  assert(others > 100, 'there are many subsets')
  // In every order the columns are another statement.
  for (let at = 1; at < 2_100; at++) {
    const turned = subset((at % (others - 1)) + 1)
    statements.change(product, [
      ...turned.slice(at % turned.length),
      ...turned.slice(0, at % turned.length),
      ...subset(at),
    ])
  }
  assert.notEqual(statements.change(product, subset(1)), first)
})
