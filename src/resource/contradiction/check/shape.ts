// Checks that a definition has the form of its types, which JavaScript, casts and typos can bypass.

import type { SpecBase } from '../../field/field.ts'
import { isKind, kindOf } from '../../field/registry.ts'
import { isEither } from '../../field/relation.ts'
import type { ServiceDefinition } from '../../language/definition.ts'
import { own } from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'

/** `form` completes the sentence "give it …". */
interface Form {
  readonly is: Test
  readonly form: string
  readonly needed?: true
  /** A word for this key in similar libraries, or formerly here. */
  readonly alias?: string
}
type Shape = Readonly<Record<string, Form>>
type Thing = Readonly<Record<string, unknown>>
type Test = (value: unknown) => boolean
type Tests = Readonly<Record<string, Test>>

const isThing = (value: unknown): value is Thing => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isFunction: Test = (value) => typeof value === 'function'
const isPure: Test = (value) => typeof value === 'function' && value.constructor.name === 'Function'
const isTrue: Test = (value) => value === true
const isToAll: Test = (value) => value === 'to all'
const isAbout: Test = (value) => isText(value) && value.trim() !== ''
const isCode: Test = (value) => isText(value) && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(value)
const isRevision: Test = (value) => Number.isInteger(value) && (value as number) > 0

const oneOf =
  (...tests: readonly Test[]): Test =>
  (value) =>
    tests.some((is) => is(value))
const isListOf =
  (is: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every((each) => is(each))
const isRecordOf =
  (is: Test): Test =>
  (value) =>
    isThing(value) && Object.values(value).every(is)
/** An object with the first members, and with the others unless they are undefined. */
const has =
  (must: Tests, may: Tests = {}): Test =>
  (value) =>
    isThing(value) &&
    Object.entries(must).every(([key, is]) => is(value[key])) &&
    Object.entries(may).every(([key, is]) => value[key] === undefined || is(value[key]))
/** The same, without further members. */
const hasOnly =
  (must: Tests, may: Tests = {}): Test =>
  (value) =>
    has(must, may)(value) &&
    Object.keys(value as Thing).every((key) => Object.hasOwn(must, key) || Object.hasOwn(may, key))

const isTexts = isListOf(isText)
const isNull: Test = (value) => value === null
const isPair: Test = (value) => isTexts(value) && (value as readonly string[]).length === 2
const isRules: Test = (value) => isListOf(isRule)(value) && (value as readonly unknown[]).length > 0
/** The parts of each kind of rule. */
const ruleParts: Readonly<Record<string, Tests>> = {
  anyone: {},
  nobody: {},
  signedIn: {},
  self: {},
  fresh: { seconds: (value) => typeof value === 'number' },
  own: { relation: isText },
  readable: { relation: isText },
  hasToken: { field: isText },
  member: { relation: oneOf(isNull, isText), roles: isTexts },
  acrossTenants: { of: isRule },
  through: { relation: isText, of: isRule },
  some: { list: isText, of: isRule },
  not: { of: isRule },
  when: { values: isThing },
  may: { verb: isText, mine: oneOf(isNull, isRule) },
  anyOf: { rules: isRules },
  allOf: { rules: isRules },
}
function isRule(value: unknown): boolean {
  const parts = isThing(value) && isText(value['rule']) ? own(ruleParts, value['rule']) : undefined
  return parts !== undefined && has(parts)(value)
}

const isDeprecation = hasOnly({ since: isText, sunset: isText }, { use: isText })
const acceptedForms: readonly string[] = ['list,min', 'into,list', 'into,list,min']
const isAcceptedList: Test = (value) =>
  isThing(value) && isText(value['list']) && acceptedForms.includes(Object.keys(value).sort().join())
const isSortOptions: Test = (value) =>
  isThing(value) && Object.entries(value).every(([name, each]) => name === 'within' && isText(each))
const isRoles: Test = isRecordOf(
  (grants) =>
    grants === 'everything' ||
    (isThing(grants) &&
      Object.entries(grants).every(([key, words]) => (key === 'includes' ? isText(words) : isTexts(words)))),
)
const keptNumberParts: Tests = { where: isRule, shown: isToAll, about: isAbout }

const deprecationForm = 'the dates `since` and `sunset`, and what to `use` instead'
const booleanForm: Form = { is: (value) => typeof value === 'boolean', form: 'true or false' }
const trueForm: Form = { is: isTrue, form: 'true, or leave it out' }
const functionForm: Form = { is: isFunction, form: 'a function' }
const textForm: Form = { is: isText, form: 'a text' }
const aboutForm: Form = { is: isAbout, form: 'a sentence' }
const thingForm: Form = { is: isThing, form: 'an object' }
const textsForm: Form = { is: isTexts, form: 'a list of texts' }
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
  tenantRoles: { is: isRecordOf(isRoles), form: "grants by tenant and role, or 'everything'" },
  onWrite: functionForm,
  routes: { is: isListOf(has({ path: isText })), form: 'a list of what route(…) makes' },
  reactions: { is: isListOf(has({ event: isText })), form: 'a list of what on(…) makes' },
  schedules: { is: isListOf(has({ schedule: isText })), form: 'a list of what every(…) makes' },
  migrations: { is: isListOf(has({ migration: isText })), form: 'a list of what migration(…) makes' },
  versions: {
    is: isRecordOf(oneOf((value) => value === 'current', has({ deprecated: isText, sunset: isText }))),
    form: "'current', or dates of deprecation and sunset, by version",
  },
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
  sort: {
    is: oneOf(isTexts, isRecordOf(isSortOptions)),
    form: "a list of texts, or an object such as { dueAt: { within: 'company' }, title: {} }",
  },
  where: textsForm,
  counts: {
    is: isRecordOf(oneOf(isText, hasOnly({ of: isText }, keptNumberParts))),
    form: "an object such as { likes: 'likes' }, or { likes: { of: 'likes', where: … } }",
  },
  sums: {
    is: isRecordOf(oneOf(isText, hasOnly({ of: isText }, { ...keptNumberParts, as: isText }))),
    form: "an object such as { total: 'lines.amount' }",
  },
  summary: thingForm,
  search: textsForm,
  anywhere: textsForm,
  members: {
    is: hasOnly({ list: isText, account: isText, role: isText }, { while: isRule, secondFactorIf: isText }),
    form: "{ list: '…', account: '…', role: '…' }",
  },
  within: { is: isText, form: 'the name of a relation' },
  queries: thingForm,
  formerly: { is: isRecordOf(isRecordOf(isText)), form: 'names by version and field', alias: 'versions' },
  invariants: { is: isListOf(has({ invariant: isText, like: isThing })), form: 'a list of atLeastOne(…)' },
  unique: {
    is: isListOf(oneOf(isTexts, hasOnly({ fields: isTexts }, { where: isRule, caseless: isTrue, per: isText }))),
    form: "a list such as [['invoice', 'position']]",
  },
  exclude: {
    is: isListOf(hasOnly({ fields: isTexts, overlap: isPair }, { where: isRule, per: isText })),
    form: "a list such as [{ fields: ['host'], overlap: ['startsAt', 'endsAt'] }]",
  },
  keys: {
    is: isListOf(oneOf(isTexts, hasOnly({ fields: isTexts }, { where: isRule }))),
    form: "a list such as [['externalId']]",
  },
  batch: { is: (value) => value === false, form: 'false, or leave it out' },
  resultUnion: { ...trueForm, alias: 'result' },
  notFound: { is: isCode, form: "a code, such as 'COURSE_NOT_FOUND', or leave it out" },
  actions: { is: isThing, form: 'an object of actions', needed: true },
}
const actionShape: Shape = {
  allow: { ...ruleForm, needed: true },
  at: {
    is: oneOf(isText, has({ due: isText, shifts: isListOf(isThing) })),
    form: "a timestamp, such as 'dueAt' or field('closedAt').plus({ days: 30 })",
  },
  past: trueForm,
  shown: { is: isToAll, form: "'to all', or leave it out" },
  partly: { is: hasOnly({ allow: isRule, fields: isTexts }), form: "{ allow: …, fields: ['name'] }" },
  on: { is: (value) => value === 'collection', form: 'collection, or leave it out' },
  maxAgeSeconds: { is: (value) => Number.isSafeInteger(value) && (value as number) >= 0, form: 'a number of seconds' },
  accept: {
    is: isListOf(oneOf(isText, isAcceptedList)),
    form: "a list of fields, or of { list: 'tags', min: 1, into: own('owner') }",
  },
  mayFollow: { is: isTexts, form: 'a list of moves', alias: 'also' },
  from: { is: oneOf(isText, isTexts, isThing), form: 'a state, a list of states or an object' },
  check: functionForm,
  to: { is: isText, form: 'a state' },
  set: {
    is: isRecordOf((value) => !isFunction(value) || isPure(value)),
    form: 'an object of values, or of functions that are not async',
  },
  link: { is: isText, form: 'the name of a relation' },
  unlink: { is: isText, form: 'the name of a relation' },
  effect: functionForm,
  emit: {
    is: has({ event: isText }, { by: isText, with: isTexts, changed: isTexts, about: isAbout }),
    form: "an event, such as event('published')",
  },
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
  on: { is: isText, form: 'the name of a field' },
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
  stored: { is: oneOf(isTrue, hasOnly({ revision: isRevision })), form: 'true, or { revision: 2 }' },
}

const queryShape: Shape = {
  allow: { ...ruleForm, needed: true },
  args: { is: isRecordOf(isSpec), form: 'an object of fields' },
  where: { is: isRule, form: "a rule, such as when({ seats: atLeast(arg('seats')) }) or own('author')" },
  ids: functionForm,
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
