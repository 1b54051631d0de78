// Checks fields: contradictory options, invalid defaults, kinds that cannot be nested.

import { type FormerKind, type SpecBase, shown } from '../../field/field.ts'
import { kindOf } from '../../field/registry.ts'
import type { OneSpec } from '../../field/relation.ts'
import type { TokenSpec } from '../../field/secret.ts'
import type { Definition } from '../../language/definition.ts'
import { columnName } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import { type DefinitionIndex, fieldsOfKind, fits, own, rowFields, wordFor } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

export function fieldContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [field, spec] of Object.entries(definition.fields)) {
      const where = `${definition.name}.${field}`
      checkSpec(where, spec, report)
      checkWrapping(where, spec, report)
      checkInside(where, spec, report)
      if (typeof spec.was === 'string') checkFormerName(definition, field, { ...spec, was: spec.was }, report)
      else if (spec.was !== undefined) checkFormerKind(definition, field, spec, spec.was, report)
      checkEnd(definition, field, spec as TokenSpec, report)
    }
    checkStates(definition, report)
    checkArguments(definition, report)
    checkComputed(definition, report)
  }
}

function checkSpec(where: string, spec: SpecBase, report: Report): void {
  if (spec.default !== undefined && !fits(spec, spec.default))
    report(where, `its default ${shown(spec.default)} is none of its values`, 'choose another default or wider limits')
  if (spec.unique && spec.default !== undefined)
    report(where, 'its default could stand in one record only, for it is unique', 'strike default or unique')
}

function checkWrapping(where: string, spec: SpecBase, report: Report): void {
  if (spec.readOnly) report(where, 'it is readOnly, an option of parts of an object', 'let no action accept it instead')
  if (!spec.optional) return
  if (['state', 'token', 'many', 'manyToMany'].includes(spec.kind))
    report(where, `it is optional, but ${a(spec.kind)} is never absent`, 'strike optional')
  const word = spec.kind === 'one' ? (['onDelete', 'cascade'] as const).find((each) => each in spec) : undefined
  if (word !== undefined && !('tree' in spec) && !(spec as OneSpec).leadsToAccount && !(spec as OneSpec).goesAlong)
    report(where, 'an optional relation is cleared when its target goes', `strike ${word} or optional`)
}

function checkInside(where: string, spec: SpecBase, report: Report): void {
  const parts = kindOf(spec).parts?.(spec) ?? []
  for (const [path, of] of parts) {
    const inner = `${where}${path}`
    checkSpec(inner, of, report)
    checkInside(inner, of, report)
    if (!kindOf(of).embeddable)
      report(inner, `${a(of.kind)} cannot stand inside ${a(spec.kind)}`, 'make it a field of the resource')
    if (spec.kind === 'list' && of.optional) report(inner, 'what a list holds is never absent', 'strike optional')
    if (spec.kind !== 'object' && of.readOnly)
      report(inner, 'readOnly is an option of parts of an object', 'strike readOnly')
    for (const option of ['was', 'column', 'unique', 'onDelete', 'cascade', 'isActor', 'tree'] as const)
      if (option in of) {
        const word = wordFor(option)
        report(inner, `${word} is an option of fields with a column of their own`, `strike ${word}`)
      }
    const part = /^\.(.*)$/.exec(path)?.[1]
    if (part !== undefined && (!/^[a-z][A-Za-z0-9]*$/.test(part) || part in Object.prototype))
      report(inner, 'its name is not of the form unitPrice', 'use letters and digits')
  }
}

function checkFormerName(
  definition: Definition,
  field: string,
  spec: SpecBase & { readonly was: string },
  report: Report,
): void {
  const where = `${definition.name}.${field}`
  if (spec.column !== undefined) report(where, 'its column keeps its name, and has another one', 'strike was or column')
  if (spec.was === field || Object.hasOwn(rowFields(definition), spec.was))
    report(where, `its former name ${spec.was} is still in use`, 'strike was')
  for (const [other, { was }] of Object.entries(definition.fields)) {
    if (other === field) return
    if (was === spec.was) report(where, `${other} was called ${was} as well`, 'strike one was')
  }
}

function checkFormerKind(
  { name, fields }: Definition,
  field: string,
  { kind }: SpecBase,
  was: FormerKind,
  report: Report,
): void {
  const where = `${name}.${field}`
  const columnOf = (each: string) => fields[each]!.column ?? columnName(each, fields[each]!.kind)
  const other = Object.keys(fields).find((each) => columnOf(each) === was.column)
  if (hasNoConversion.has(kind)) report(where, `the values of ${a(kind)} are not converted`, 'strike was')
  else if (other === field) report(where, `its column is still ${was.column}`, 'give it another column')
  else if (other !== undefined) report(where, `${was.column} is the column of ${other}`, 'strike was')
}
/** Nothing that SQL can read, or numbers that are given once. */
const hasNoConversion = new Set(['password', 'token', 'secret', 'counter'])

function checkEnd(definition: Definition, token: string, { kind, until }: TokenSpec, report: Report): void {
  const { name, fields } = definition
  if (kind !== 'token' || until === undefined || own(fields, until)?.kind === 'timestamp') return
  const moments = fieldsOfKind(definition, 'timestamp')
  report(`${name}.${token}`, `its until ${until} is no timestamp of ${name}`, instead(until, moments))
}

function checkStates(definition: Definition, report: Report): void {
  const [, second] = fieldsOfKind(definition, 'state')
  if (second !== undefined)
    report(`${definition.name}.${second}`, 'a resource has one state', 'make one of them a choice')
}

function checkArguments(definition: Definition, report: Report): void {
  for (const [field, spec] of Object.entries(definition.fields)) {
    if (spec.kind !== 'argument') continue
    const where = `${definition.name}.${field}`
    const users = Object.entries(definition.actions).filter(([, { accept }]) => accept?.includes(field))
    if (users.length === 0) report(where, 'no action accepts this argument', 'accept it or strike it')
    for (const [action, { check, set, effect }] of users) {
      const reads = check ?? effect ?? Object.values(set ?? {}).find((value) => typeof value === 'function')
      if (reads === undefined)
        report(where, `${action} accepts it and has no use for it`, 'use it in check, set or effect')
    }
  }
}

function checkComputed(definition: Definition, report: Report): void {
  for (const [field, { as, from, stored }] of Object.entries(definition.computed ?? {})) {
    const where = `${definition.name}.${field}`
    if (Object.hasOwn(definition.fields, field)) report(where, 'it is a field already', 'choose another name')
    checkSpec(where, as, report)
    checkInside(where, as, report)
    if (!kindOf(as).embeddable || as.kind === 'one')
      report(where, `${a(as.kind)} cannot be computed`, 'choose another kind')
    for (const option of ['was', 'column', 'unique', 'default', 'readOnly'])
      if (option in as) report(where, `${option} is an option of stored fields`, `strike ${option}`)
    if (from.length === 0) report(where, 'it is made from nothing', 'name the fields that it is made from')
    const sources = rowFields(definition)
    for (const name of from) {
      if (own(sources, name) === undefined)
        report(where, `it is made from ${name}, which is no stored field`, instead(name, Object.keys(sources)))
      if (stored !== undefined && name === 'updatedAt')
        report(where, 'it is made from updatedAt, which every write changes', 'strike stored')
      const { read: hidden, filter } = own(definition.protect, name) ?? {}
      const { read, filter: ownFilter } = own(definition.protect, field) ?? {}
      if (stored !== undefined && filter !== undefined && (read ?? ownFilter) === undefined)
        report(
          where,
          `all readers could filter by something of ${name}, by which only some may`,
          `protect ${field} as well`,
        )
      const isOpen = definition.actions['read']?.partly?.fields.includes(field) === true
      if (hidden !== undefined && !isOpen && read === undefined)
        report(where, `it would show all readers something of ${name}, which is protected`, `protect ${field} as well`)
    }
  }
}
