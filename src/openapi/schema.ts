// JSON Schemas for the answers and inputs of a resource. (contract 4.5, 4.15.1)

import { sentName } from '../action/input/either-input.ts'
import { keyedField, keyedList } from '../action/input/keyed-reference.ts'
import { type InputMode, staysMissing } from '../action/input/validate.ts'
import { actionName, fieldsOf, linksOf, tokensOf } from '../action/record-selection.ts'
import { defaultLimits } from '../limits.ts'
import {
  aboutAction,
  aboutCan,
  aboutElement,
  aboutElementId,
  aboutField,
  aboutKeyedList,
  aboutLinks,
  aboutList,
  aboutMayBegin,
  aboutOwnTenant,
  aboutResource,
} from '../resource/about.ts'
import { leavingOf } from '../resource/deprecation.ts'
import type { JsonSchema, PartName, SpecBase } from '../resource/field/field.ts'
import { valueSchema, writeValue } from '../resource/field/registry.ts'
import { idLengthMax } from '../resource/field/relation.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import type { Column, KeyModel } from '../resource/model/column.ts'
import { branchesOf } from '../resource/model/either.ts'
import { ownColumns, type ReferenceKey, upsertActions, upsertKeys } from '../resource/model/key.ts'
import type { Accepted, AcceptedList, ActionModel, FieldModel, ResourceModel } from '../resource/model/model.ts'
import {
  type AcceptedChildren,
  childCreate,
  childUpdate,
  isChildren,
  replacesChildren,
} from '../resource/model/nested.ts'
import { recordActions } from '../resource/model/rule/record-action.ts'
import { linkSentence, referenceSentence, ruleSentence } from '../resource/model/rule/rule-sentence.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { uncapitalised } from '../resource/naming/casing.ts'
import { exampleOf, type Naming } from './document-context.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/** 26 characters of Crockford's base32, the first at most 7. */
export const idPattern = (prefix: string): string => `${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}`

export const objectSchema = (properties: Properties, required: readonly string[]): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length === 0 ? {} : { required }),
})

/** A whole number of 32 bits. */
export const int32 = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum,
})
/** A count without a limit of its own. */
export const count64: JsonSchema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** `least` elements at least, and as many as a batch has at most. */
const batchSchema = (least: number, isUnique: boolean, items: JsonSchema, description: string): JsonSchema => ({
  type: 'array',
  ...(least > 0 ? { minItems: least } : {}),
  maxItems: defaultLimits.batch,
  ...(isUnique ? { uniqueItems: true } : {}),
  items,
  description,
})

/** Required is what every reader sees. */
export function answerSchema(resource: ResourceModel, vocabulary: Vocabulary): JsonSchema {
  const { name, list } = vocabulary
  const fields = fieldsOf(resource)
  const properties = fields.map((field) => [name(resource, field.name), answerProperty(field, resource, vocabulary)])
  const required = fields.filter((field) => !isGuarded(field, resource)).map((field) => name(resource, field.name))
  const links = linksOf(resource).map((relation) => [
    list(resource, relation),
    batchSchema(0, true, idSchema(relation.target), aboutLinks(relation, resource)),
  ])
  const schema = objectSchema(Object.fromEntries([...properties, ...links]), required)
  return { ...schema, description: aboutResource(resource) }
}

export function canSchema(resource: ResourceModel, vocabulary: Vocabulary): JsonSchema {
  const properties = recordActions(resource).map((action) => [
    actionName(action, vocabulary),
    { type: 'boolean', description: aboutMayBegin(action), ...leavingOf(action.deprecated) },
  ])
  const names = properties.map(([name]) => name as string)
  return { ...objectSchema(Object.fromEntries(properties), names), description: aboutCan(resource) }
}

const isGuarded = (field: FieldModel, resource: ResourceModel): boolean =>
  [field.name, ...branchesOf(field, resource).map((each) => each.field)].some(
    (name) => resource.protect.get(name)?.read !== undefined,
  )

function answerProperty(field: FieldModel, resource: ResourceModel, { name, part }: Vocabulary): JsonSchema {
  const rule = resource.protect.get(field.name)?.read
  const schema = described(aboutField(field.name, field.spec, resource), fieldSchema(field, resource, part), [
    rule === undefined ? '' : onlyFor(rule, resource, name),
  ])
  return { ...schema, ...leavingOf(field.spec.deprecated) }
}

function fieldSchema(field: FieldModel, resource: ResourceModel, part: PartName): JsonSchema {
  return field.name === 'id'
    ? idSchema(resource)
    : valueOrId(field.name, { ...field.spec, optional: field.nullable }, resource, part)
}

/** What a reader sees in a column: of a reference, the id. */
export function valueOrId(field: string, spec: SpecBase, { relations }: ResourceModel, part: PartName): JsonSchema {
  const relation = relations.get(field)
  const schema = valueSchema(spec, false, part)
  return relation === undefined ? schema : { ...idSchema(relation.target), type: schema['type'] }
}

const idSchema = ({ prefix }: ResourceModel): JsonSchema => ({
  type: 'string',
  pattern: `^${idPattern(prefix)}$`,
  maxLength: prefix.length + 27,
})

/** `complete` requires what has no default, `replace` the same except protected fields, `partial` any one. */
export function inputSchema(action: ActionModel, mode: InputMode, vocabulary: Vocabulary): JsonSchema {
  const properties = inputProperties(action, mode, vocabulary)
  const required =
    mode === 'partial'
      ? []
      : action.sent
          .filter((each) => isNeeded(each) && !staysMissing(action, each, mode))
          .filter((each) => keyedField(action, each, vocabulary) === null)
          .map((each) => nameOf(each, action, vocabulary))
          .concat(neededLists(action, vocabulary).map(({ relation }) => vocabulary.list(action.resource, relation)))
  const description = `Input to ${uncapitalised(aboutAction({ ...action, about: undefined }))}`
  const schema = { ...objectSchema(properties, required), description }
  if (mode === 'partial') return { ...schema, minProperties: 1 }
  return Object.keys(properties).length === 0 ? { ...schema, maxProperties: 0 } : schema
}

export const withKeySchema = (
  schema: JsonSchema,
  resource: ResourceModel,
  { columns }: KeyModel,
  vocabulary: Vocabulary,
): JsonSchema => {
  const keyProperties = columns.map((column) => keyProperty(column, resource, vocabulary))
  return { ...schema, properties: { ...Object.fromEntries(keyProperties), ...(schema['properties'] as Properties) } }
}

const keyProperty = ({ field, spec }: Column, resource: ResourceModel, { name, part }: Vocabulary, more = '') =>
  [
    name(resource, field),
    { ...valueSchema(spec, true, part), description: aboutField(field, spec, resource) + more },
  ] as const

/** Requires what create requires and update accepts. */
export function upsertSchema(resource: ResourceModel, ofKey: readonly Column[], vocabulary: Vocabulary): JsonSchema {
  const { create, update } = upsertActions(resource, upsertKeys(resource)[0]!)!
  const both = [inputSchema(create, 'complete', vocabulary), inputSchema(update, 'replace', vocabulary)] as const
  const [created, updated] = both.map(({ properties }) => properties as Properties)
  const keyNames = new Set(ofKey.map(({ field }) => vocabulary.name(resource, field)))
  const required = ((both[0]['required'] ?? []) as readonly string[]).filter(
    (name) => !keyNames.has(name) && name in updated!,
  )
  // The schema of update includes that of create.
  const lists = update.lists.map(({ relation }) => vocabulary.list(resource, relation))
  const listed = Object.fromEntries(lists.map((name) => [name, updated![name]!]))
  const schema = objectSchema({ ...updated, ...created, ...listed }, required)
  return {
    ...schema,
    description: `${both[0]['description']} Or to replace it. The fields of the key can be left out.`,
  }
}

export function inputProperties(action: ActionModel, mode: InputMode, vocabulary: Vocabulary): Properties {
  const accepted = action.sent.flatMap((each) => [
    [nameOf(each, action, vocabulary), inputProperty(each, action, mode, vocabulary)],
    ...keyedProperty(each, action, mode, vocabulary),
  ])
  const moves = action.mayFollow.map((move) => [
    vocabulary.part(move.name, { kind: 'boolean' }),
    { type: 'boolean', description: `True: ${move.name} it at once. ${allowedTo(move, vocabulary)}` },
  ])
  const lists = action.lists.flatMap((list) => [
    [vocabulary.list(action.resource, list.relation), listSchema(list, action, vocabulary)],
    ...keyedListProperty(list, action, vocabulary),
  ])
  return Object.fromEntries([...accepted, ...lists, ...moves])
}

/** An update without a list keeps it. */
const neededLists = (action: ActionModel, vocabulary: Vocabulary): readonly AcceptedList[] =>
  replacesChildren(action)
    ? []
    : action.lists.filter((list) => list.min > 0 && keyedList(action, list, vocabulary) === null)

function listSchema(list: AcceptedList, action: ActionModel, vocabulary: Vocabulary): JsonSchema {
  const items = isChildren(list) ? childSchema(list, action, vocabulary) : anyIdSchema
  return batchSchema(list.min, !isChildren(list), items, aboutList(list, action) + linkSentence(list, vocabulary.name))
}

const anyIdSchema: JsonSchema = { type: 'string', maxLength: idLengthMax }

function childSchema(list: AcceptedChildren, action: ActionModel, vocabulary: Vocabulary): JsonSchema {
  const created = inputSchema(childCreate(action, list), 'complete', vocabulary)
  if (!replacesChildren(action)) return created
  const child = list.relation.target.name
  const update = childUpdate(action, list)
  const changes = update === null ? {} : inputProperties(update, 'partial', vocabulary)
  const id = { ...anyIdSchema, description: aboutElementId(child) }
  const stored = objectSchema({ id, ...changes }, ['id'])
  return { anyOf: [created, stored], description: aboutElement(child, action.resource.name) }
}

function keyedProperty(
  accepted: Accepted,
  action: ActionModel,
  mode: InputMode,
  vocabulary: Vocabulary,
): readonly [string, JsonSchema][] {
  const keyed = keyedField(action, accepted, vocabulary)
  if (keyed === null) return []
  const { name, target, keys } = keyed
  const schemas = keySchemas(target, keys, vocabulary)
  const isOneNeeded = mode !== 'partial' && isNeeded(accepted) && !staysMissing(action, accepted, mode)
  const id = nameOf(accepted, action, vocabulary)
  const description = `The same as ${id}, by a key. Not together with it${isOneNeeded ? '; one of them is needed' : ''}.`
  const schema = oneOf(accepted.nullable ? [...schemas, { type: 'null' }] : schemas)
  return [[name, { ...schema, description, ...leavingOf(accepted.spec.deprecated) }]]
}

const oneOf = (schemas: readonly JsonSchema[]): JsonSchema => (schemas.length === 1 ? schemas[0]! : { oneOf: schemas })

const keySchemas = (
  target: ResourceModel,
  keys: readonly ReferenceKey[],
  vocabulary: Vocabulary,
): readonly JsonSchema[] =>
  keys.map((key) => {
    const parts = ownColumns(key).map((column) =>
      keyProperty(column, target, vocabulary, column === key.named ? ` ${aboutOwnTenant}` : ''),
    )
    const needed = ownColumns(key).filter((column) => column !== key.named)
    return objectSchema(
      Object.fromEntries(parts),
      needed.map(({ field }) => vocabulary.name(target, field)),
    )
  })

function keyedListProperty(
  list: AcceptedList,
  action: ActionModel,
  vocabulary: Vocabulary,
): readonly [string, JsonSchema][] {
  const byKey = keyedList(action, list, vocabulary)
  if (byKey === null) return []
  const schemas = keySchemas(byKey.target, byKey.keys, vocabulary)
  const description = aboutKeyedList(vocabulary.list(action.resource, list.relation))
  return [[byKey.name, batchSchema(list.min, true, oneOf(schemas), description)]]
}

const nameOf = (sent: Accepted, { resource }: ActionModel, names: Vocabulary): string => sentName(resource, sent, names)
const isNeeded = ({ initial }: Accepted): boolean => initial === undefined

function inputProperty(
  accepted: Accepted,
  action: ActionModel,
  mode: InputMode,
  { name, part }: Vocabulary,
): JsonSchema {
  const { field, spec, initial } = accepted
  const { resource } = action
  const rule = resource.protect.get(field)?.write
  const schema = valueSchema(spec, true, part)
  const description = described(aboutField(field, spec, resource), schema, [
    mode === 'partial' ? '' : staysMissing(action, accepted, mode) ? leftAlone : leftOut(writeValue(spec, initial?.())),
    rule === undefined ? '' : onlyFor(rule, resource, name),
    referenceSentence(resource, field, name),
  ])
  return { ...description, ...leavingOf(spec.deprecated) }
}

const leftAlone = 'If omitted, it is unchanged.'
/** Generators treat a member with the keyword `default` as required. */
const leftOut = (value: unknown): string =>
  value === undefined || value === null ? '' : `Default: \`${JSON.stringify(value)}\`.`

const onlyFor = (rule: RuleNode, resource: ResourceModel, name: Vocabulary['name']): string =>
  `Only for ${ruleSentence(rule, resource, name)}.`

export function described(about: string, schema: JsonSchema, sentences: readonly string[]): JsonSchema {
  const all = [about, schema['description'], ...sentences]
  return { ...schema, description: all.filter((each) => each !== undefined && each !== '').join(' ') }
}

export const allowedTo = ({ allow, resource }: ActionModel, { name }: Vocabulary): string =>
  `Allowed: ${ruleSentence(allow, resource, name)}.`

export const answerExample = (resource: ResourceModel, { name, list }: Vocabulary, naming: Naming): object =>
  Object.fromEntries([
    ...fieldsOf(resource).map((field) => [
      name(resource, field.name),
      field.name === 'id' ? naming.idOf(resource.name) : exampleOf(field.spec, field.name, naming, 'answer'),
    ]),
    ...linksOf(resource).map((relation) => [list(resource, relation), [naming.idOf(relation.target.name)]]),
  ])

/** `partial`: only the first field. */
export function inputExample(action: ActionModel, mode: InputMode, vocabulary: Vocabulary, naming: Naming): object {
  const { resource, sent } = action
  const fields =
    mode === 'partial' ? sent.slice(0, 1) : sent.filter(({ field }) => resource.protect.get(field)?.write === undefined)
  return Object.fromEntries(
    fields.map((each) => [nameOf(each, action, vocabulary), exampleOf(each.spec, each.field, naming, 'input')]),
  )
}

export function newSchema(resource: ResourceModel, vocabulary: Vocabulary): JsonSchema {
  const { properties, required } = answerSchema(resource, vocabulary) as { properties: Properties; required: string[] }
  const tokens = tokensOf(resource).map(({ field, spec }) => [
    vocabulary.name(resource, field),
    described(aboutField(field, spec, resource), valueSchema(spec, false, vocabulary.part), ['Shown this once.']),
  ])
  const names = tokens.map(([name]) => name as string)
  const schema = objectSchema({ ...properties, ...Object.fromEntries(tokens) }, [...required, ...names])
  return { ...schema, description: `${aboutResource(resource)} As returned once, to its creator, with the token.` }
}

export const newExample = (resource: ResourceModel, vocabulary: Vocabulary, naming: Naming): object => ({
  ...answerExample(resource, vocabulary, naming),
  ...Object.fromEntries(
    tokensOf(resource).map(({ field, spec }) => [
      vocabulary.name(resource, field),
      exampleOf(spec, field, naming, 'answer'),
    ]),
  ),
})
