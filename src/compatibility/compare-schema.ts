// Compares two JSON Schemas recursively. (contract 9.3.1)

import { adds, breaks, type Judgement, onlyInNewVersion, type Report, surprises } from './change.ts'
import { compareValues, type Side } from './compare-values.ts'
import { type Document, isSame, members, type Node, paired, referred, resolve, texts } from './openapi-document.ts'

export interface Comparison {
  /** `v2`. */
  readonly version: string
  readonly before: Document
  readonly after: Document
  readonly report: Report
  /** Components already compared, to report their changes once. */
  readonly comparedKeys: Set<string>
}

/** Compares a component that both refer to by one name once, under that name. */
export function compareSchemas(before: Node, after: Node, side: Side, where: string, comparison: Comparison): void {
  const [from, to] = [referred(before), referred(after)]
  const key = `${side} ${from} ${to}`
  const isShared = from !== null || to !== null
  if (isShared && comparison.comparedKeys.has(key)) return
  if (isShared) comparison.comparedKeys.add(key)
  const name = from?.split('/').at(-1)
  const place =
    isShared && from === to ? `${comparison.version} ${side === 'input' ? 'takes' : 'answers'} ${name}` : where
  const [here, there] = [resolve(before, comparison.before), resolve(after, comparison.after)]
  compareHere(here, there, side, place, comparison)
}

function compareHere(before: Node, after: Node, side: Side, where: string, comparison: Comparison): void {
  const { report } = comparison
  compareValues(before, after, side, where, report)
  compareMembers(before, after, side, where, comparison)
  const [elements, others] = [before['items'], after['items']] as [Node | undefined, Node | undefined]
  if (elements !== undefined && others !== undefined) {
    compareSchemas(elements, others, side, `${where}[]`, comparison)
  } else if (elements !== others) {
    const isFreer = others === undefined
    const judgement = isFreer === (side === 'input') ? adds : breaks(restricted, onlyInNewVersion)
    report({
      where: `${where}[]`,
      what: isFreer ? 'Elements can be anything now.' : 'Elements are of one kind now.',
      ...judgement,
    })
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    const [from, to] = [before, after].map((node) => branchesOf(node, keyword))
    compareBranches({ keyword, from: from!, to: to! }, side, where, comparison)
  }
  compareDeprecation(before, after, where, report)
}
const restricted = 'Values are others than before.'

function compareMembers(before: Node, after: Node, side: Side, where: string, comparison: Comparison): void {
  const { report } = comparison
  const required = { before: new Set(texts(before, 'required')), after: new Set(texts(after, 'required')) }
  const { removed, added, both } = paired(members(before, 'properties'), members(after, 'properties'))
  const at = (name: string) => `${where}.${name}`
  for (const name of removed) {
    const sunset = members(before, 'properties')[name]!['x-sunset']
    const promise = typeof sunset === 'string' ? { sunset } : {}
    report({ where: at(name), what: 'The field was removed.', ...removal[side], ...promise })
  }
  for (const name of added) {
    const isRequired = side === 'input' && required.after.has(name)
    const what = isRequired ? 'A required field was added.' : 'A field was added.'
    report({ where: at(name), what, ...(isRequired ? demands : adds) })
  }
  for (const { name, ...each } of both) {
    const [was, is] = [required.before.has(name), required.after.has(name)]
    if (was !== is) {
      const what = is ? 'The field is required now.' : 'The field is no longer required.'
      report({ where: at(name), what, ...(side === 'input' ? (is ? demands : adds) : is ? adds : mayBeAbsent) })
    }
    compareSchemas(each.before, each.after, side, at(name), comparison)
  }
  compareOthers(before, after, side, where, comparison)
}

const removal: Readonly<Record<Side, Judgement>> = {
  input: breaks('A request that sends it is refused.', onlyInNewVersion),
  answer: breaks('A client that reads it finds nothing.', onlyInNewVersion),
}
const demands = breaks('A request without it is refused.', 'Make it optional, or demand it in a new version only.')
const mayBeAbsent = breaks('A client that reads it may find nothing.', onlyInNewVersion)

function compareOthers(before: Node, after: Node, side: Side, where: string, comparison: Comparison): void {
  const [from, to] = [before['additionalProperties'] ?? true, after['additionalProperties'] ?? true]
  if (isSame(from, to)) return
  if (typeof from === 'object' && typeof to === 'object') {
    compareSchemas(from as Node, to as Node, side, `${where}.*`, comparison)
    return
  }
  const isFreer = from === false || to === true
  const judgement = isFreer
    ? side === 'input'
      ? adds
      : surprises('There may be fields without a description.')
    : side === 'input'
      ? removal.input
      : adds
  const what = isFreer ? 'Other fields can be there now.' : 'Other fields cannot be there any more.'
  comparison.report({ where, what, ...judgement })
}

/** By the component they refer to, otherwise by position. */
const branchesOf = (node: Node, keyword: 'anyOf' | 'oneOf' | 'allOf'): Branches =>
  Object.fromEntries(
    ((node[keyword] ?? []) as readonly Node[]).map((each, index) => [
      referred(each)?.split('/').at(-1) ?? String(index + 1),
      each,
    ]),
  )
type Branches = Readonly<Record<string, Node>>

interface BranchChange {
  readonly keyword: string
  readonly from: Branches
  readonly to: Branches
}

function compareBranches({ keyword, from, to }: BranchChange, side: Side, where: string, comparison: Comparison): void {
  const { removed, added, both } = paired(from, to)
  for (const each of both) compareSchemas(each.before, each.after, side, where, comparison)
  const isAll = keyword === 'allOf'
  const fewerValues = side === 'input' ? breaks('A request that was accepted is refused.', onlyInNewVersion) : adds
  const moreValues = side === 'input' ? adds : surprises('A client may be answered what it does not expect.')
  for (const name of removed)
    comparison.report({ where, what: `The form ${name} was removed.`, ...(isAll ? moreValues : fewerValues) })
  for (const name of added)
    comparison.report({ where, what: `The form ${name} was added.`, ...(isAll ? fewerValues : moreValues) })
}

/** A deprecation only warns; its date is a promise. */
export function compareDeprecation(before: Node, after: Node, where: string, report: Report): void {
  const [was, is] = [before['deprecated'] === true, after['deprecated'] === true]
  if (was !== is) report({ where, what: is ? 'It is deprecated now.' : 'It is no longer deprecated.', ...adds })
  const [from, to] = [before['x-sunset'], after['x-sunset']] as [string | undefined, string | undefined]
  if (from === undefined || to === undefined || from === to) return
  report({ where, what: `Its sunset moved from ${from} to ${to}.`, ...(to < from ? sooner : adds) })
}

export const sooner = breaks('Clients were promised more time.', 'Leave the sunset where it was, or make it later.')
