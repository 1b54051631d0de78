// Checks relations: both ends exist and match, a first record can be created, and each says what becomes of a record whose reference
// is deleted.

import type { SpecBase } from '../../field/field.ts'
import { kindOf } from '../../field/registry.ts'
import { type EitherSpec, isAbove, isEither, isToMany, type ManySpec, type OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import { requiredRelations } from '../../model/compile/either-definition.ts'
import { type DefinitionIndex, fieldsOfKind, own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

export function relationContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    for (const [field, spec] of Object.entries(definition.fields)) {
      checkTargets(`${definition.name}.${field}`, spec, definitions, report)
      checkTree(definition.name, field, spec as OneSpec, report)
      if (isEither(spec)) checkEither(definition, field, spec, report)
      if (isToMany(spec) && !isAbove(spec)) checkList(definition.name, field, spec, definitions, report)
    }
  }
  checkFirstRecords(definitions, report)
  checkDeletes(definitions, report)
}

function checkTree(
  name: string,
  field: string,
  { kind, tree, target, optional }: SpecBase & Partial<OneSpec>,
  report: Report,
): void {
  if (kind !== 'one' || tree === undefined) return
  const where = `${name}.${field}`
  if (target !== name) report(where, `it is a tree, and leads to ${target}`, `lead it to ${name}, or strike tree`)
  else if (optional !== true) report(where, 'it is a tree, and its first record has none above it', 'make it optional')
}

function checkTargets(where: string, spec: SpecBase, definitions: DefinitionIndex, report: Report): void {
  const { target } = spec as OneSpec
  if (['one', 'many', 'manyToMany'].includes(spec.kind) && !definitions.resources.has(target))
    report(
      where,
      `it leads to ${target}, which is not in this service`,
      instead(`${target}`, definitions.resources.keys()),
    )
  for (const [path, of] of kindOf(spec).parts?.(spec) ?? []) checkTargets(`${where}${path}`, of, definitions, report)
}

/** Its relations can be absent, and lead to different resources. (contract 11.6) */
function checkEither(definition: Definition, field: string, { of }: EitherSpec, report: Report): void {
  const { name, fields } = definition
  const where = `${name}.${field}`
  if (of.length < 2) report(where, 'it needs two relations or more', 'name another, or strike it')
  const targets = new Map<string, string>()
  for (const each of new Set(of)) {
    const spec = own(fields, each) as OneSpec | undefined
    if (spec?.kind !== 'one') {
      report(
        where,
        `it names ${each}, which is no relation to one record`,
        instead(each, fieldsOfKind(definition, 'one')),
      )
      continue
    }
    if (spec.optional !== true) report(where, `${each} is always there, and the others never`, `make ${each} optional`)
    if (spec.tree === true || definition.within === each || spec.isActor === true)
      report(where, `${each} is a tree, a tenant or the actor`, 'name another relation')
    const first = targets.get(spec.target)
    if (first !== undefined)
      report(
        where,
        `${first} and ${each} both lead to ${spec.target}`,
        'name one of them: the type must identify the relation',
      )
    targets.set(spec.target, each)
  }
  if (new Set(of).size < of.length) report(where, 'it names a relation twice', 'strike one')
  const other = Object.keys(fields).find((key) => {
    const spec = fields[key]!
    return key < field && isEither(spec) && spec.of.some((each) => of.includes(each))
  })
  if (other !== undefined)
    report(where, `${other} has one of its relations as well`, 'let each relation be in one either')
}

const isAccepted = ({ actions }: Definition, field: string): boolean =>
  Object.values(actions).some(({ accept }) => accept?.includes(field) === true)

function checkList(
  name: string,
  field: string,
  { kind, target, by }: ManySpec,
  definitions: DefinitionIndex,
  report: Report,
): void {
  const there = definitions.resources.get(target)
  if (there === undefined) return
  const isLink = kind === 'manyToMany'
  const back = own(there.fields, by) as OneSpec | ManySpec | undefined
  const leadsBack =
    back?.target === name &&
    (isLink ? back.kind === 'manyToMany' && (back as ManySpec).by === field : back.kind === 'one')
  if (isLink && target === name && by === field)
    report(`${name}.${field}`, 'it is its own other end', 'name a second relation for the way back')
  else if (!leadsBack)
    report(
      `${name}.${field}`,
      `${target}.${by} does not lead back`,
      isLink
        ? `say ${by}: manyToMany('${name}', '${field}') there`
        : `add ${by}: one('${name}') there or name another field`,
    )
  // Reported for one end only.
  else if (
    isLink &&
    !involvesAccounts([name, target], definitions) &&
    !isAccepted(definitions.resources.get(name)!, field) &&
    !isAccepted(there, by) &&
    `${name}.${field}` < `${target}.${by}`
  )
    report(
      `${name}.${field}`,
      `nothing could ever write it: \`link\` puts accounts into relations, and ${
        name === target ? `${name} is none` : `neither ${name} nor ${target} is one`
      }`,
      `make a resource of each pair, with one('${name}') and ${name === target ? 'another' : `one('${target}')`}`,
    )
}

/** Missing accounts are reported elsewhere. */
const involvesAccounts = (names: readonly string[], { accountName, resources }: DefinitionIndex): boolean =>
  names.includes(accountName) || !resources.has(accountName)

function checkFirstRecords(definitions: DefinitionIndex, report: Report): void {
  const requires = ({ fields }: Definition) =>
    Object.entries(fields).flatMap(([field, spec]) =>
      spec.kind === 'one' && !spec.optional ? [[field, (spec as OneSpec).target] as const] : [],
    )
  for (const definition of definitions.resources.values()) {
    for (const [field, target] of requires(definition)) {
      const reached = new Set([target])
      for (const name of reached) {
        const next = definitions.resources.get(name)
        if (next !== undefined) for (const [, further] of requires(next)) reached.add(further)
      }
      if (reached.has(definition.name))
        report(
          `${definition.name}.${field}`,
          `there is no first ${definition.name}: each requires another`,
          'make it optional',
        )
    }
  }
}

/** What becomes of a record whose required reference is deleted: its relation says it. (contract 2.5.7) */
function checkDeletes({ resources, library }: DefinitionIndex, report: Report): void {
  const deletable = deletableNames(resources)
  for (const definition of resources.values()) {
    if (library.has(definition.name)) continue
    const needed = requiredRelations(definition)
    for (const [field, spec] of Object.entries(definition.fields))
      if (spec.kind === 'one' && (!spec.optional || needed.has(field)))
        checkDelete(definition, field, spec as OneSpec, deletable, report)
  }
}

function checkDelete(
  definition: Definition,
  field: string,
  { target, onDelete, cascade }: OneSpec,
  deletable: ReadonlySet<string>,
  report: Report,
): void {
  const { name } = definition
  const where = `${name}.${field}`
  if (cascade !== undefined && cascade !== 'regardless')
    report(where, `there is no cascade ${String(cascade)}`, "write cascade: 'regardless'")
  else if (cascade !== undefined && onDelete === 'restrict')
    report(where, 'it restricts deletes and cascades at once', 'strike onDelete or cascade')
  else if (deletable.has(target) && onDelete === undefined && cascade === undefined)
    report(
      where,
      `${target} can be deleted, and no option decides about ${name} then`,
      "write onDelete: 'restrict'; onDelete: 'cascade', which needs the right to delete both; or cascade: 'regardless'",
    )
  else if (onDelete === 'cascade' && cascade === undefined && !clientsDelete(definition))
    report(
      where,
      `clients delete ${name} only with its ${target}, for which they need the right to delete both`,
      `write cascade: 'regardless' in place of onDelete, or give ${name} a delete`,
    )
}

const clientsDelete = ({ actions }: Definition): boolean => {
  const rule = actions['delete']?.allow
  return rule !== undefined && rule.rule !== 'nobody'
}

/** By their own action, or with a record that they require. */
function deletableNames(resources: ReadonlyMap<string, Definition>): ReadonlySet<string> {
  const names = new Set([...resources.values()].filter(({ actions }) => 'delete' in actions).map(({ name }) => name))
  for (let size = -1; size !== names.size; ) {
    size = names.size
    for (const { name, fields } of resources.values())
      if (Object.values(fields).some((spec) => isCascade(spec as OneSpec) && names.has((spec as OneSpec).target)))
        names.add(name)
  }
  return names
}

const isCascade = ({ kind, optional, onDelete, cascade, goesAlong }: OneSpec): boolean =>
  kind === 'one' && (!optional || goesAlong === true) && (onDelete === 'cascade' || cascade === 'regardless')
