// Checks actions: keys in their place, acceptable and settable fields, and required fields that have a source.

import { defaultLimits } from '../../../limits.ts'
import type { CounterSpec } from '../../field/counter.ts'
import { type SpecBase, shown } from '../../field/field.ts'
import { initialValue, isWord } from '../../field/registry.ts'
import { isActorDefault, isEither, isToMany, type ManySpec, type OneSpec } from '../../field/relation.ts'
import { type ActionDefinition, type Definition, isUsual, type ListTerms } from '../../language/definition.ts'
import { argumentsOf, Placeholder } from '../../language/placeholder.ts'
import { kebab } from '../../naming/casing.ts'
import { a } from '../../naming/indefinite-article.ts'
import {
  type DefinitionIndex,
  fieldsOfKind,
  findRecordRule,
  fits,
  isSecret,
  isStored,
  letsInAnonymous,
  own,
} from '../report/definition-index.ts'
import { instead, type Report } from '../report/report.ts'
import { isComparable, wrongStart } from '../report/test.ts'
import { checkInto } from './reference.ts'

export function actionContradictions(definitions: DefinitionIndex, report: Report): void {
  for (const definition of definitions.resources.values()) {
    if (own(definition.actions, 'read') === undefined)
      report(definition.name, 'it has no rule for reading', 'add actions.read with an allow')
    for (const [name, action] of Object.entries(definition.actions)) {
      const place = { where: `${definition.name}.${name}`, name, action, definition, definitions, report }
      checkKeys(place)
      if (action.on !== undefined) checkCollective(place)
      checkUse(place)
      checkPartly(place)
      checkAccept(place)
      for (const [field, terms] of Object.entries(action.lists ?? {})) checkListTerms(field, terms, place)
      for (const [field, value] of Object.entries(action.set ?? {})) checkSet(field, value, place)
      checkLink(place)
      checkEitherInput(place)
      checkEvent(place)
      checkChanged(place)
    }
    checkNeeds(definition, report)
    checkCounters(definition, report)
    checkActorDefaults(definition, definitions, report)
  }
}

interface ActionPlace {
  readonly where: string
  readonly name: string
  readonly action: ActionDefinition
  readonly definition: Definition
  readonly definitions: DefinitionIndex
  readonly report: Report
}

function checkEvent({ where, name, action: { emit }, definition, report }: ActionPlace): void {
  const { by, with: handed = [] } = emit ?? {}
  if (by !== undefined && !fieldsOfKind(definition, 'one', 'either').includes(by))
    report(where, `its event is sent by ${by}, which is no relation to one record`, 'name such a relation')
  if (handed.length > 0 && name !== 'create')
    report(where, `its event hands on ${handed.join()}, which only create knows`, 'strike with')
  const tokens = fieldsOfKind(definition, 'token')
  for (const each of handed)
    if (!tokens.includes(each)) report(where, `its event hands on ${each}, which is no token`, instead(each, tokens))
}

/** A changed field needs a previous and a new value, of limited size. (contract 13.9) */
function checkChanged({ where, name, action, definition: { name: owner, fields }, report }: ActionPlace): void {
  const changed = action.emit?.changed
  if (changed === undefined) return
  if (changed.length === 0) report(where, 'its changed is empty', 'name a field in changed, or strike it')
  if (['create', 'delete'].includes(name) || action.on !== undefined)
    report(where, 'its event has changed, and there is no record before and after it', 'strike changed')
  const traceable = Object.keys(fields).filter((each) => isTraceable(fields[each]!))
  for (const [index, each] of changed.entries()) {
    const spec = own(fields, each)
    if (changed.indexOf(each) < index) report(where, `its event names ${each} twice`, 'strike one')
    else if (spec === undefined)
      report(where, `its changed names ${each}, which is no field of ${owner}`, instead(each, traceable))
    else if (!isTraceable(spec))
      report(where, `its changed names ${each}, which is no single value that a reader may see`, 'strike it')
  }
}
const isTraceable = (spec: SpecBase): boolean =>
  isStored(spec) &&
  !isSecret(spec) &&
  spec.isKept !== true &&
  (spec.kind === 'one' || spec.kind === 'state' || isWord(spec))

type Key = keyof ActionDefinition
const moveKeys: readonly Key[] = ['from', 'to']
const misplaced: Readonly<Record<string, { readonly keys: readonly Key[]; readonly remedy: string }>> = {
  read: {
    keys: ['accept', 'mayFollow', ...moveKeys, 'check', 'set', 'link', 'unlink', 'effect', 'emit'],
    remedy: 'reading changes nothing: strike it',
  },
  create: {
    keys: ['maxAgeSeconds', ...moveKeys, 'unlink'],
    remedy: 'there is no record before it is created: strike it',
  },
  update: { keys: ['maxAgeSeconds', 'mayFollow', ...moveKeys], remedy: 'move it to a move' },
  delete: {
    keys: ['maxAgeSeconds', 'accept', 'mayFollow', ...moveKeys, 'set', 'link', 'unlink'],
    remedy: 'deleting takes no input and leaves no record: use check and effect',
  },
  move: { keys: ['maxAgeSeconds', 'mayFollow'], remedy: 'strike it' },
  collection: {
    keys: ['maxAgeSeconds', 'mayFollow', ...moveKeys, 'set', 'link', 'unlink'],
    remedy: 'an action on the collection has no record: use effect',
  },
}

function checkKeys({ where, name, action, report }: ActionPlace): void {
  const { keys, remedy } = own(misplaced, name) ?? misplaced[action.on ?? 'move']!
  for (const key of keys) if (action[key] !== undefined) report(where, `it has ${key}, which cannot stand here`, remedy)
  if (action.maxAgeSeconds !== undefined && action.allow.rule !== 'anyone')
    report(where, 'shared caches would keep what not everyone may read', 'strike maxAgeSeconds or let anyone read')
}

function checkCollective({ where, name, action: { allow, effect }, report }: ActionPlace): void {
  if (isUsual(name)) report(where, `it is on the collection, and ${name} is not`, 'strike on, or name it otherwise')
  if (['batch', 'me'].includes(kebab(name)))
    report(where, `the path …/${name} is something else`, 'choose another verb')
  if (effect === undefined) report(where, 'it is on the collection and has no effect', 'give it an effect')
  const recordRule = findRecordRule(allow)
  if (recordRule !== undefined)
    report(
      where,
      `its allow has ${recordRule.rule}, a rule about a record, and there is none`,
      'use only rules about the actor',
    )
}

function checkUse({ where, name, action, report }: ActionPlace): void {
  const { accept = [], to, set = {}, link, unlink, effect, emit } = action
  if (name === 'update') {
    if (accept.length === 0) report(where, 'it accepts nothing, and so changes nothing', 'list what may be changed')
  } else if (!['read', 'create', 'delete'].includes(name)) {
    const effects = [to, link, unlink, effect, emit, ...accept, ...Object.keys(set)].filter(
      (each) => each !== undefined,
    )
    if (effects.length === 0) report(where, 'it does nothing', 'give it to, set, link or effect')
  }
}

function checkAccept(place: ActionPlace): void {
  const { where, action, definition, report } = place
  const { accept = [] } = action
  for (const [index, field] of accept.entries()) {
    if (accept.indexOf(field) < index) report(where, `it accepts ${field} twice`, 'strike one')
    else if (isToMany(own(definition.fields, field))) checkAcceptedList(field, place)
    else checkAccepted(field, place)
  }
}

function checkAccepted(field: string, { where, definition, report }: ActionPlace): void {
  const spec = own(definition.fields, field)
  const acceptable = Object.keys(definition.fields).filter((each) => !isUnsendable(definition.fields[each]!))
  if (spec === undefined)
    report(where, `it accepts ${field}, which is no field of ${definition.name}`, instead(field, acceptable))
  else if (spec.kind === 'state') report(where, `it accepts ${field}, which is a state`, 'move it by from and to')
  else if (isUnsendable(spec)) report(where, `it accepts ${field}, which cannot be sent`, 'strike it')
}

/** One way to send it: its relations come with it. (contract 11.6.6) */
function checkEitherInput({ where, action, definition, report }: ActionPlace): void {
  const { accept = [], eithers = [], set = {} } = action
  for (const [either, spec] of Object.entries(definition.fields)) {
    if (!isEither(spec)) continue
    const found = eithers.includes(either) ? undefined : spec.of.find((each) => accept.includes(each))
    if (found !== undefined) report(where, `it accepts ${found}, which is part of ${either}`, `accept ${either}`)
    const written = spec.of.find((each) => Object.hasOwn(set, each))
    if (written !== undefined)
      report(where, `it sets ${written}, which is part of ${either}`, `write ${either} in an effect`)
  }
}

function checkPartly({ where, name, action: { partly }, definition, report }: ActionPlace): void {
  if (partly === undefined) return
  const { fields, computed = {} } = definition
  if (name !== 'read') report(where, 'it has partly, which cannot stand here', 'only read has it: strike it')
  const names = [...Object.keys(fields).filter((field) => isStored(fields[field]!)), ...Object.keys(computed)]
  for (const field of partly.fields)
    if (!names.includes(field))
      report(where, `it opens ${field}, which is no field that readers see`, instead(field, names))
}

function checkListTerms(
  field: string,
  { min, into }: ListTerms,
  { where, definition, definitions, report }: ActionPlace,
): void {
  const spec = own(definition.fields, field)
  if (spec === undefined) return
  if (!isToMany(spec)) {
    const word = min === undefined ? 'an into' : 'a min'
    report(where, `it accepts ${field} with ${word}, which is no list of records`, `write '${field}'`)
    return
  }
  if (min !== undefined) checkListMin(where, field, min, report)
  if (into === undefined) return
  if (spec.kind === 'many')
    report(where, `its into is about ${field}, which are made here`, 'put the rule into their create')
  else checkInto(where, spec.target, into, definitions, report)
}

function checkListMin(where: string, field: string, min: unknown, report: Report): void {
  if (!Number.isInteger(min) || (min as number) < 1 || (min as number) > defaultLimits.batch)
    report(where, `its min of ${field} is no length`, `write a whole number from 1 to ${defaultLimits.batch}`)
}

/** New children need a `create`. (contract 13.1) */
function checkAcceptedList(field: string, { where, name, definition, definitions, report }: ActionPlace): void {
  const { kind, target: of, by } = definition.fields[field] as ManySpec
  if (name !== 'create' && name !== 'update')
    report(where, `it accepts ${field}, which is a list`, 'accept it in create or update')
  const target = definitions.resources.get(of)
  if (kind !== 'many' || target === undefined) return
  const create = own(target.actions, 'create')
  if (create === undefined || create.allow.rule === 'nobody')
    report(where, `it accepts ${field}, and no action creates ${a(of)}`, 'let the records of the list have a create')
  else if (name === 'create' && isEmpty(create, target, { by, definition, definitions }))
    report(
      where,
      `it accepts ${field}, and a new ${of} takes nothing beside its ${definition.name}, so that GraphQL has no input for it`,
      `let create of ${of} accept a field, or strike it here`,
    )
  if (of === definitions.accountName || definitions.library.has(of))
    report(where, `it accepts ${field}, and ${of} is no child of others`, 'let it be created by itself')
}

/** Fields that follow from the parent are not sent, and grandchildren have no lists. (contract 13.1.1) */
function isEmpty(
  { accept = [], mayFollow = [] }: ActionDefinition,
  child: Definition,
  {
    by,
    definition,
    definitions,
  }: { readonly by: string; readonly definition: Definition; readonly definitions: DefinitionIndex },
): boolean {
  const isInner = [...definitions.resources.values()].some(({ fields, actions }) =>
    (actions['create']?.accept ?? []).some((each) => {
      const spec = own(fields, each)
      return spec?.kind === 'many' && (spec as ManySpec).target === definition.name
    }),
  )
  const tenant = (of: Definition) =>
    of.within == null ? undefined : (own(of.fields, of.within) as ManySpec | undefined)
  const isFilled = (each: string) =>
    each === by || (each === child.within && tenant(child)?.target === tenant(definition)?.target)
  const sent = accept.filter((each) => !isFilled(each) && !(isInner && own(child.fields, each)?.kind === 'many'))
  return sent.length === 0 && mayFollow.length === 0
}

const isUnsendable = ({ kind, isKept }: SpecBase): boolean =>
  isKept === true || ['state', 'token', 'counter', 'many', 'manyToMany'].includes(kind)

function checkSet(field: string, value: unknown, { where, name, action, definition, report }: ActionPlace): void {
  const { accept = [] } = action
  const settable = Object.keys(definition.fields).filter((each) => isSettable(definition.fields[each]!))
  const spec = own(definition.fields, field)
  if (spec === undefined) {
    report(where, `it sets ${field}, which is no field of ${definition.name}`, instead(field, settable))
    return
  }
  if (spec.kind === 'state') {
    report(where, `it sets ${field}, which is a state`, 'move it by from and to')
    return
  }
  if (!isSettable(spec)) {
    report(where, `it sets ${field}, which has no value that it could set`, 'strike it')
    return
  }
  if (isActorDefault(spec) && name === 'create')
    report(where, `it sets ${field}, whose default is the actor`, 'strike one of them')
  if (typeof value === 'function') return
  if (value instanceof Placeholder) {
    const { source } = value
    const wrong = source.from === 'now' ? wrongStart(source) : null
    if (wrong !== null) report(where, ...wrong)
    else if (source.from !== 'now' || argumentsOf(source).length > 0 || !isComparable(source, spec))
      report(
        where,
        `it sets ${field} to a value that only rules and queries have`,
        'set a timestamp to now, or to now.plus({ … }), or a date to startOf(…)',
      )
  } else if (!fits(spec, value))
    report(where, `it sets ${field} to ${shown(value)}`, `set a value that ${field} can have`)
  if (accept.includes(field))
    report(where, `it sets ${field} whatever it accepts`, `strike ${field} from accept or from set`)
}
const isSettable = (spec: SpecBase): boolean =>
  spec.kind === 'secret' ||
  (isStored(spec) && spec.isKept !== true && !isSecret(spec) && spec.kind !== 'state' && spec.kind !== 'counter')

function checkLink({ where, action: { link, unlink, allow }, definition, definitions, report }: ActionPlace): void {
  for (const name of [link, unlink]) {
    if (name === undefined) continue
    const spec = own(definition.fields, name) as ManySpec | undefined
    if (spec?.kind !== 'manyToMany')
      report(where, `it links ${name}, which is no many-to-many relation`, 'name such a relation')
    else if (spec.target !== definitions.accountName)
      report(
        where,
        `it would put the actor among ${name}, which are no accounts`,
        `name a relation to ${definitions.accountName}`,
      )
    if (letsInAnonymous(allow))
      report(where, `callers may be anonymous, and cannot be put into ${name}`, 'let allow require signedIn')
  }
  if (link !== undefined && link === unlink) report(where, `it links and unlinks ${link}`, 'strike one')
}

/** Without a create, effects create the records, which the compiler checks. */
function checkNeeds({ name, fields, actions }: Definition, report: Report): void {
  const create = own(actions, 'create')
  if (create === undefined || create.effect !== undefined || create.allow.rule === 'nobody') return
  for (const [field, spec] of Object.entries(fields)) {
    const isGiven = create.accept?.includes(field) || Object.hasOwn(create.set ?? {}, field)
    const isTaken = isActorDefault(spec) || (spec as OneSpec).from !== undefined
    if (isStored(spec) && !isGiven && !isTaken && initialValue(spec) === undefined)
      report(
        `${name}.${field}`,
        'nothing sets it when a record is created',
        'let create accept or set it, or make it optional',
      )
  }
}

/** A counter is assigned by create or by a move, and counts inside a relation that never changes. */
function checkCounters(definition: Definition, report: Report): void {
  const { name, fields, actions } = definition
  for (const [field, spec] of Object.entries(fields)) {
    if (spec.kind !== 'counter') continue
    const where = `${name}.${field}`
    const { within, on } = spec as CounterSpec
    const move = on === undefined ? undefined : own(actions, on)
    if (on !== undefined && (move === undefined || move.on !== undefined || isUsual(on)))
      report(where, `it is given on ${on}, which is no move`, instead(on, Object.keys(actions).filter(isMove(actions))))
    if (on === undefined && spec.optional) report(where, 'every record has a number', 'strike optional')
    if (within === undefined) continue
    const relation = own(fields, within)
    const ones = fieldsOfKind(definition, 'one').filter((each) => !fields[each]!.optional)
    if (relation?.kind !== 'one' || relation.optional) {
      report(where, `it counts within ${within}, which is no required relation to one record`, instead(within, ones))
      continue
    }
    for (const [action, { accept = [], set = {} }] of Object.entries(actions))
      if (action !== 'create' && (accept.includes(within) || Object.hasOwn(set, within)))
        report(`${name}.${action}`, `it changes ${within}, within which ${field} is counted`, `strike ${within}`)
  }
}
const isMove = (actions: Definition['actions']) => (name: string) => !isUsual(name) && actions[name]!.on === undefined

/** A default actor needs a relation to accounts and a signed-in caller. */
function checkActorDefaults({ name, fields, actions }: Definition, definitions: DefinitionIndex, report: Report): void {
  const create = own(actions, 'create')
  for (const [field, spec] of Object.entries(fields)) {
    if (!isActorDefault(spec)) continue
    const { target } = spec as OneSpec
    if (target !== definitions.accountName)
      report(
        `${name}.${field}`,
        `its default is the actor, who is ${a(definitions.accountName)}, and it names ${a(target)}`,
        'strike default',
      )
    if (create !== undefined && !spec.optional && letsInAnonymous(create.allow))
      report(
        `${name}.create`,
        `callers may be anonymous, and cannot be the ${field}`,
        `let allow require signedIn, or make ${field} optional`,
      )
  }
}
