// Checks that a definition has the form of its types, which JavaScript, casts and typos can bypass.

import type { SpecBase } from '../../field/field.ts'
import { isKind, kindOf } from '../../field/registry.ts'
import { isEither } from '../../field/relation.ts'
import type { ServiceDefinition } from '../../language/definition.ts'
import { instead, type Report } from '../report/report.ts'

/** `form` completes the sentence "give it …". */
interface Form {
  readonly is: (value: unknown) => boolean
  readonly form: string
  readonly needed?: true
  /** A word for this key in similar libraries, or formerly here. */
  readonly alias?: string
}
type Shape = Readonly<Record<string, Form>>
type Thing = Readonly<Record<string, unknown>>

const isThing = (value: unknown): value is Thing => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isListOf =
  (member: string) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((each) => isThing(each) && isText(each[member]))
const isPure = (value: unknown): boolean => typeof value === 'function' && value.constructor.name === 'Function'

const deprecationForm = 'the dates `since` and `sunset`, and what to `use` instead'
const booleanForm = { is: (value: unknown) => typeof value === 'boolean', form: 'true or false' }
const textForm: Form = { is: isText, form: 'a text' }
const aboutForm: Form = { is: isAbout, form: 'a sentence' }
const thingForm: Form = { is: isThing, form: 'an object' }
const isAccept = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (each) =>
      isText(each) ||
      (isThing(each) && isText(each['list']) && acceptedForms.includes(Object.keys(each).sort().join())),
  )
const acceptedForms: readonly string[] = ['list,min', 'into,list', 'into,list,min']
const textsForm: Form = { is: isTexts, form: 'a list of texts' }
const isSort = (value: unknown): boolean =>
  isTexts(value) || (isThing(value) && Object.values(value).every(isSortOptions))
const isSortOptions = (value: unknown): boolean =>
  isThing(value) && Object.entries(value).every(([name, each]) => name === 'within' && isText(each))
const isStoring = (value: unknown): boolean =>
  value === true || (isThing(value) && Object.keys(value).join() === 'revision' && isRevision(value['revision']))
const isRevision = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
const ruleForm: Form = { is: isRule, form: "a rule, such as signedIn or own('author')" }
const pureForm: Form = { is: isPure, form: 'a function that is not async' }

const serviceShape: Shape = {
  resources: {
    is: (value) => isThing(value) && Object.keys(value).length > 0,
    form: 'an object of resources',
    needed: true,
  },
  accounts: { ...thingForm, needed: true },
  roles: { is: isRoles, form: "grants by role, or 'everything'", needed: true },
  tenantRoles: {
    is: (value) => isThing(value) && Object.values(value).every(isRoles),
    form: "grants by tenant and role, or 'everything'",
  },
  onWrite: { is: (value) => typeof value === 'function', form: 'a function' },
  routes: { is: isListOf('path'), form: 'a list of what route(…) makes' },
  reactions: { is: isListOf('event'), form: 'a list of what on(…) makes' },
  schedules: { is: isListOf('schedule'), form: 'a list of what every(…) makes' },
  migrations: { is: isListOf('migration'), form: 'a list of what migration(…) makes' },
  versions: { is: isVersions, form: "'current', or dates of deprecation and sunset, by version" },
}
const accountsShape: Shape = {
  resource: textForm,
  login: { is: isText, form: 'the name of a field', needed: true },
  password: { is: isText, form: 'the name of a field', needed: true },
  role: { is: isText, form: 'the name of a field', needed: true },
  activeState: { is: isText, form: 'the name of a state', needed: true, alias: 'active' },
  verified: textForm,
  methods: thingForm,
  secondFactorFor: textsForm,
  requireVerified: booleanForm,
  pages: booleanForm,
  texts: thingForm,
}
const resourceShape: Shape = {
  name: { ...textForm, needed: true },
  prefix: { is: isText, form: "a text to begin its ids with, such as 'post'", needed: true },
  plural: textForm,
  graphql: { is: isText, form: 'its name in GraphQL' },
  table: { is: isText, form: 'the name of its table' },
  about: aboutForm,
  fields: { is: isThing, form: 'an object of fields', needed: true },
  computed: thingForm,
  protect: thingForm,
  filter: thingForm,
  sort: { is: isSort, form: "a list of texts, or an object such as { dueAt: { within: 'company' }, title: {} }" },
  where: textsForm,
  counts: { is: isCounts, form: "an object such as { likes: 'likes' }, or { likes: { of: 'likes', where: … } }" },
  sums: { is: isSums, form: "an object such as { total: 'lines.amount' }" },
  summary: thingForm,
  search: textsForm,
  anywhere: textsForm,
  members: { is: isMembers, form: "{ list: '…', account: '…', role: '…' }" },
  within: { is: isText, form: 'the name of a relation' },
  queries: thingForm,
  formerly: {
    is: (value) => isThing(value) && Object.values(value).every(isNames),
    form: 'names by version and field',
    alias: 'versions',
  },
  invariants: { is: isInvariants, form: 'a list of atLeastOne(…)' },
  unique: { is: isUniques, form: "a list such as [['invoice', 'position']]" },
  exclude: { is: isExclusions, form: "a list such as [{ fields: ['host'], overlap: ['startsAt', 'endsAt'] }]" },
  keys: { is: isKeys, form: "a list such as [['externalId']]" },
  batch: { is: (value) => value === false, form: 'false, or leave it out' },
  resultUnion: { is: (value) => value === true, form: 'true, or leave it out', alias: 'result' },
  notFound: { is: isCode, form: "a code, such as 'COURSE_NOT_FOUND', or leave it out" },
  actions: { is: isThing, form: 'an object of actions', needed: true },
}
const isPartly = (value: unknown): boolean =>
  isThing(value) &&
  ruleForm.is(value['allow']) &&
  isTexts(value['fields']) &&
  Object.keys(value).sort().join() === 'allow,fields'
const actionShape: Shape = {
  allow: { ...ruleForm, needed: true },
  at: { is: isDue, form: "a timestamp, such as 'dueAt' or field('closedAt').plus({ days: 30 })" },
  past: { is: (value) => value === true, form: 'true, or leave it out' },
  shown: { is: (value) => value === 'to all', form: "'to all', or leave it out" },
  partly: { is: isPartly, form: "{ allow: …, fields: ['name'] }" },
  on: { is: (value) => value === 'collection', form: 'collection, or leave it out' },
  maxAgeSeconds: { is: (value) => Number.isSafeInteger(value) && (value as number) >= 0, form: 'a number of seconds' },
  accept: { is: isAccept, form: "a list of fields, or of { list: 'tags', min: 1, into: own('owner') }" },
  mayFollow: { is: isTexts, form: 'a list of moves', alias: 'also' },
  from: {
    is: (value) => isText(value) || isTexts(value) || isThing(value),
    form: 'a state, a list of states or an object',
  },
  check: { is: (value) => typeof value === 'function', form: 'a function' },
  to: { is: isText, form: 'a state' },
  set: { is: isSet, form: 'an object of values, or of functions that are not async' },
  link: { is: isText, form: 'the name of a relation' },
  unlink: { is: isText, form: 'the name of a relation' },
  effect: { is: (value) => typeof value === 'function', form: 'a function' },
  emit: { is: isEvent, form: "an event, such as event('published')" },
  deprecated: { is: isDeprecation, form: deprecationForm },
  about: aboutForm,
}
const protectShape: Shape = { read: ruleForm, write: ruleForm, filter: ruleForm }
const filterShape: Shape = {
  test: {
    is: (value) => filterTests.includes(value as string),
    form: 'a test, such as is or contains(…)',
    needed: true,
  },
  on: { is: (value) => value === undefined || isText(value), form: 'the name of a field' },
  deprecated: { is: isDeprecation, form: deprecationForm },
}
const filterTests = ['is', 'contains', 'isPresent', 'atLeast', 'atMost']
const summaryShape: Shape = {
  by: { ...textsForm, needed: true },
  of: textsForm,
  distinct: textsForm,
}
const computedShape: Shape = {
  as: { is: isSpec, form: 'a field, such as text({ max: 400 })', needed: true },
  from: { is: isTexts, form: 'a list of fields', needed: true },
  make: { ...pureForm, needed: true },
  stored: { is: isStoring, form: 'true, or { revision: 2 }' },
}

const queryShape: Shape = {
  allow: { ...ruleForm, needed: true },
  args: { is: (value) => isThing(value) && Object.values(value).every(isSpec), form: 'an object of fields' },
  where: { is: isRule, form: "a rule, such as when({ seats: atLeast(arg('seats')) }) or own('author')" },
  ids: { is: (value) => typeof value === 'function', form: 'a function' },
  sort: textsForm,
  about: aboutForm,
}

/** Reports missing, unknown and malformed keys. Afterwards the types of `definition.ts` hold. */
export function shapeContradictions(service: ServiceDefinition, report: Report): void {
  checkShape('The service', service, serviceShape, report)
  if (isThing(service.accounts)) checkShape('accounts', service.accounts, accountsShape, report)
  if (!isThing(service.resources)) return
  for (const [key, resource] of Object.entries(service.resources)) checkResource(key, resource, report)
}

function checkResource(key: string, resource: unknown, report: Report): void {
  if (!isThing(resource)) {
    report(key, 'it is no resource', `make it with resource('${key}', …)`)
    return
  }
  const name = isText(resource['name']) ? resource['name'] : key
  checkShape(name, resource, resourceShape, report)
  checkEach(name, resource['actions'], actionShape, report)
  checkEach(`${name}.protect`, resource['protect'], protectShape, report)
  checkEach(`${name}.filter`, resource['filter'], filterShape, report)
  if (isThing(resource['summary'])) checkShape(`${name}.summary`, resource['summary'], summaryShape, report)
  checkEach(name, resource['computed'], computedShape, report)
  checkEach(`${name}.queries`, resource['queries'], queryShape, report)
  for (const [where, spec] of specsOf(name, resource)) checkSpec(where, spec, report)
}

function* specsOf(name: string, resource: Thing): Iterable<readonly [where: string, spec: unknown]> {
  const entries = (value: unknown) => Object.entries(isThing(value) ? value : {})
  for (const [field, spec] of entries(resource['fields'])) yield [`${name}.${field}`, spec]
  for (const [field, each] of entries(resource['computed']))
    if (isThing(each) && isSpec(each['as'])) yield [`${name}.${field}`, each['as']]
  for (const [query, each] of entries(resource['queries']))
    if (isThing(each)) for (const [arg, spec] of entries(each['args'])) yield [`${name}.queries.${query}.${arg}`, spec]
}

function checkEach(where: string, things: unknown, shape: Shape, report: Report): void {
  if (!isThing(things)) return
  for (const [key, thing] of Object.entries(things)) checkShape(`${where}.${key}`, thing, shape, report)
}

function checkShape(where: string, thing: unknown, shape: Shape, report: Report): void {
  if (!isThing(thing)) {
    report(where, 'it is no object', `give it ${Object.keys(shape).join(', ')} as they apply`)
    return
  }
  for (const key of Object.keys(thing)) {
    if (Object.hasOwn(shape, key)) continue
    const name = Object.keys(shape).find((each) => shape[each]!.alias === key) ?? key
    report(where, `it has ${key}, which means nothing here`, instead(name, Object.keys(shape)))
  }
  for (const [key, { is, form, needed }] of Object.entries(shape)) {
    const value = Object.hasOwn(thing, key) ? thing[key] : undefined
    if (value === undefined && needed) report(where, `it has no ${key}`, `give it ${form}`)
    if (value !== undefined && !is(value))
      report(where, `its ${key} is something else than it must be`, `make it ${form}`)
  }
}

function checkSpec(where: string, spec: unknown, report: Report): void {
  if (!isSpec(spec)) {
    report(where, 'it is no field', 'make it with text(…), one(…) or another kind of field')
    return
  }
  const { options } = kindOf(spec)
  for (const key of Object.keys(spec)) {
    if (!['kind', 'optional', 'readOnly', 'deprecated', 'about', ...options].includes(key))
      report(where, `it has ${key}, which is no option of ${spec.kind}`, instead(key, options))
  }
  const { deprecated, deprecatedValues = {}, about } = spec as unknown as Thing
  if (about !== undefined && !isAbout(about)) report(where, 'its about is empty', 'make it a sentence')
  if (deprecated !== undefined && !isDeprecation(deprecated))
    report(where, 'its deprecated is something else than it must be', `make it ${deprecationForm}`)
  if (!isThing(deprecatedValues) || !Object.values(deprecatedValues).every(isDeprecation))
    report(where, 'its deprecatedValues are something else than they must be', `give each ${deprecationForm}`)
  for (const option of ['was', 'column', 'target', 'by', 'until'] as const) {
    const value = (spec as unknown as Thing)[option]
    if (option === 'was' && isThing(value)) checkFormerKind(where, value, report)
    else if (value !== undefined && !isText(value)) report(where, `its ${option} is no name`, 'make it a text')
  }
  if (isEither(spec) && !isTexts(spec.of))
    report(where, 'its relations are no list of names', "write either(['…', '…'])")
  const parts = partsOf(spec)
  const finding = parts.every(([, of]) => isSpec(of)) ? (kindOf(spec).contradiction?.(spec) ?? null) : null
  if (finding !== null) report(where, ...finding)
  for (const [path, of] of parts) checkSpec(`${where}${path}`, of, report)
}

const formerKind = ['column', 'to', 'back']
function checkFormerKind(where: string, was: Thing, report: Report): void {
  for (const key of Object.keys(was))
    if (!formerKind.includes(key)) report(where, `its was has ${key}, which it does not know`, instead(key, formerKind))
  if (!formerKind.every((key) => isText(was[key]) || (key !== 'column' && was[key] === undefined)))
    report(where, 'its was names no column and conversions', "write was: { column: '…', to: '…', back: '…' }")
}

function isSpec(value: unknown): value is SpecBase {
  return isThing(value) && isKind(value['kind'])
}
/** Works on malformed lists and objects too. */
function partsOf(spec: SpecBase): readonly (readonly [string, unknown])[] {
  const inner = (spec as unknown as Thing)['fields'] ?? (spec as unknown as Thing)['of']
  return kindOf(spec).parts === undefined ? [] : isThing(inner) ? kindOf(spec).parts!(spec) : [['', inner]]
}

function isDeprecation(value: unknown): boolean {
  return (
    isThing(value) &&
    isText(value['since']) &&
    isText(value['sunset']) &&
    (value['use'] === undefined || isText(value['use'])) &&
    Object.keys(value).every((key) => ['since', 'sunset', 'use'].includes(key))
  )
}

export function isRule(value: unknown): boolean {
  if (!isThing(value)) return false
  switch (value['rule']) {
    case 'anyone':
    case 'nobody':
    case 'signedIn':
    case 'self':
      return true
    case 'fresh':
      return typeof value['seconds'] === 'number'
    case 'own':
    case 'readable':
      return isText(value['relation'])
    case 'hasToken':
      return isText(value['field'])
    case 'member':
      return (value['relation'] === null || isText(value['relation'])) && isTexts(value['roles'])
    case 'acrossTenants':
      return isRule(value['of'])
    case 'through':
      return isText(value['relation']) && isRule(value['of'])
    case 'some':
      return isText(value['list']) && isRule(value['of'])
    case 'not':
      return isRule(value['of'])
    case 'when':
      return isThing(value['values'])
    case 'may':
      return isText(value['verb']) && (value['mine'] === null || isRule(value['mine']))
    case 'anyOf':
    case 'allOf':
      return Array.isArray(value['rules']) && value['rules'].length > 0 && value['rules'].every(isRule)
    default:
      return false
  }
}

function isDue(value: unknown): boolean {
  if (!isThing(value)) return isText(value)
  return isText(value['due']) && Array.isArray(value['shifts']) && value['shifts'].every(isThing)
}
function isSet(value: unknown): boolean {
  return isThing(value) && Object.values(value).every((each) => typeof each !== 'function' || isPure(each))
}
function isAbout(value: unknown): boolean {
  return isText(value) && value.trim() !== ''
}
function isEvent(value: unknown): boolean {
  return (
    isThing(value) &&
    isText(value['event']) &&
    (value['by'] === undefined || isText(value['by'])) &&
    (value['with'] === undefined || isTexts(value['with'])) &&
    (value['changed'] === undefined || isTexts(value['changed'])) &&
    (value['about'] === undefined || isAbout(value['about']))
  )
}
function isRoles(value: unknown): boolean {
  const isGrants = (grants: unknown) =>
    isThing(grants) &&
    Object.entries(grants).every(([key, words]) => (key === 'includes' ? isText(words) : isTexts(words)))
  return isThing(value) && Object.values(value).every((each) => each === 'everything' || isGrants(each))
}
function isMembers(value: unknown): boolean {
  return (
    isThing(value) &&
    [value['list'], value['account'], value['role']].every(isText) &&
    (value['while'] === undefined || isRule(value['while'])) &&
    (value['secondFactorIf'] === undefined || isText(value['secondFactorIf'])) &&
    Object.keys(value).every((key) => ['list', 'account', 'role', 'while', 'secondFactorIf'].includes(key))
  )
}
function isCounts(value: unknown): boolean {
  return isKeptNumbers(value, ['of', 'where', 'shown', 'about'])
}
function isSums(value: unknown): boolean {
  return isKeptNumbers(value, ['of', 'where', 'shown', 'about', 'as'])
}
function isKeptNumbers(value: unknown, parts: readonly string[]): boolean {
  const isWhole = (each: unknown) =>
    isThing(each) &&
    isText(each['of']) &&
    (each['where'] === undefined || isRule(each['where'])) &&
    (each['shown'] === undefined || each['shown'] === 'to all') &&
    (each['about'] === undefined || isAbout(each['about'])) &&
    (each['as'] === undefined || isText(each['as'])) &&
    Object.keys(each).every((key) => parts.includes(key))
  return isThing(value) && Object.values(value).every((each) => isText(each) || isWhole(each))
}
function isVersions(value: unknown): boolean {
  const isDated = (dates: unknown) => isThing(dates) && isText(dates['deprecated']) && isText(dates['sunset'])
  return isThing(value) && Object.values(value).every((each) => each === 'current' || isDated(each))
}
function isCode(value: unknown): boolean {
  return isText(value) && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(value)
}
function isNames(value: unknown): boolean {
  return isThing(value) && Object.values(value).every(isText)
}
function isKeys(value: unknown): boolean {
  const isKey = (each: unknown) =>
    isTexts(each) ||
    (isThing(each) &&
      isTexts(each['fields']) &&
      (each['where'] === undefined || isRule(each['where'])) &&
      Object.keys(each).every((key) => ['fields', 'where'].includes(key)))
  return Array.isArray(value) && value.every(isKey)
}
function isUniques(value: unknown): boolean {
  const isUnique = (each: unknown) =>
    isTexts(each) ||
    (isThing(each) &&
      isTexts(each['fields']) &&
      (each['where'] === undefined || isRule(each['where'])) &&
      (each['caseless'] === undefined || each['caseless'] === true) &&
      (each['per'] === undefined || isText(each['per'])) &&
      Object.keys(each).every((key) => ['fields', 'where', 'caseless', 'per'].includes(key)))
  return Array.isArray(value) && value.every(isUnique)
}
function isExclusions(value: unknown): boolean {
  const isExclusion = (each: unknown) =>
    isThing(each) &&
    isTexts(each['fields']) &&
    isTexts(each['overlap']) &&
    (each['overlap'] as readonly string[]).length === 2 &&
    (each['where'] === undefined || isRule(each['where'])) &&
    (each['per'] === undefined || isText(each['per'])) &&
    Object.keys(each).every((key) => ['fields', 'overlap', 'where', 'per'].includes(key))
  return Array.isArray(value) && value.every(isExclusion)
}
function isInvariants(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((each) => isThing(each) && isText(each['invariant']) && isThing(each['like']))
  )
}
