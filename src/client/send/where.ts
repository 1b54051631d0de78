// Prints conditions in REST's text form. (contract 12.1.6)

import { snake } from '../../resource/naming/casing.ts'
import { DuetError } from './error.ts'

type Tree = Readonly<Record<string, unknown>>

/** `{ or: [{ status: { in: ['open'] } }, { points: { gt: 3 } }] }` → `status IN ("open") OR points > 3`. */
export const printWhere = (where: unknown): string =>
  typeof where === 'string' ? where : conditionOf(where as Tree, '')

/** For writes, where an omitted part affects more records: an undefined part is VALIDATION_ERROR. */
export function printCertainWhere(where: unknown): string {
  const hole = typeof where === 'string' ? null : holeIn(where, 'where')
  if (hole !== null) throw new DuetError('VALIDATION_ERROR', `${hole} is undefined.`)
  return printWhere(where)
}

function holeIn(value: unknown, path: string): string | null {
  if (value === undefined) return path
  if (typeof value !== 'object' || value === null) return null
  for (const [name, each] of Object.entries(value)) {
    const hole = holeIn(each, `${path}.${name}`)
    if (hole !== null) return hole
  }
  return null
}

function conditionOf(tree: Tree, path: string): string {
  const parts = Object.entries(tree).flatMap(([name, each]) => (each === undefined ? [] : [memberOf(name, each, path)]))
  return parts.join(' AND ')
}

function memberOf(name: string, value: unknown, path: string): string {
  if (name === 'not') return `NOT (${conditionOf(value as Tree, path)})`
  if (name === 'and' || name === 'or') {
    const parts = (value as readonly Tree[]).map((each) => `(${conditionOf(each, path)})`)
    return `(${parts.join(name === 'and' ? ' AND ' : ' OR ')})`
  }
  const at = `${path}${snake(name)}`
  const { below, ...others } = value as Tree
  if (typeof below === 'string') {
    const first = `below(${at}, ${printValue(below)})`
    return Object.keys(others).length === 0 ? first : `${first} AND ${memberOf(name, others, path)}`
  }
  const entries = Object.entries(value as Tree).filter(([, each]) => each !== undefined)
  if (entries.length > 0 && entries.every(isTest)) return entries.map((each) => testOf(at, each)).join(' AND ')
  if (entries.some(([word]) => word === 'some' || word === 'none'))
    return entries.map(([word, each]) => `${word}(${at}, ${conditionOf(each as Tree, '')})`).join(' AND ')
  return `(${conditionOf(value as Tree, `${at}.`)})`
}

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', has: ':' }
const operators: ReadonlySet<string> = new Set([
  ...Object.keys(signs),
  'in',
  'startsWith',
  'endsWith',
  'contains',
  'isNull',
])

/** Operands are values or lists; an object is a condition on a related record. */
const isTest = ([name, value]: readonly [string, unknown]): boolean =>
  operators.has(name) && (typeof value !== 'object' || value === null || value instanceof Date || Array.isArray(value))

function testOf(at: string, [operator, value]: readonly [string, unknown]): string {
  switch (operator) {
    case 'in':
      return `${at} IN (${(value as readonly unknown[]).map(printValue).join(', ')})`
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return `${operator}(${at}, ${printValue(value)})`
    case 'isNull':
      return `${at} ${value === true ? '=' : '!='} null`
    default:
      return `${at} ${signs[operator]} ${printValue(value)}`
  }
}

function printValue(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value.toISOString())
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
