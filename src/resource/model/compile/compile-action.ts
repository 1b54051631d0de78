// Compiles the actions of a resource. Needs columns and relations.

import type { SpecBase } from '../../field/field.ts'
import { initialValue, kindOf } from '../../field/registry.ts'
import { type EitherSpec, isActorDefault } from '../../field/relation.ts'
import type { ArgumentSpec, TokenSpec } from '../../field/secret.ts'
import { type ActionDefinition, type Definition, isUsual } from '../../language/definition.ts'
import { type GivenSource, givenValue, Placeholder } from '../../language/placeholder.ts'
import { freshSecondsOf } from '../../language/rule/rule-parts.ts'
import type { Column } from '../column.ts'
import { branchesNamed } from '../either.ts'
import type { Accepted, AcceptedList, ActionKind, ActionModel, FieldModel, StateTest } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { isTest } from '../rule/comparison.ts'

/** `mayFollow` refers to moves, so they are compiled first. */
export function compileActions(resource: ResourceDraft, definition: Definition): void {
  const entries = Object.entries(definition.actions)
  const actions = new Map(entries.map(([name, each]) => [name, compileAction(resource, definition, name, each)]))
  for (const [name, { mayFollow = [] }] of entries) {
    const action = actions.get(name)!
    const moves = mayFollow.map((move) => actions.get(move)!)
    resource.actions.set(name, moves.length === 0 ? action : { ...action, mayFollow: moves })
  }
  resource.read = resource.actions.get('read')!
}

function compileAction(
  resource: ResourceDraft,
  definition: Definition,
  name: string,
  action: ActionDefinition,
): ActionModel {
  const relation = (field: string | undefined) => (field === undefined ? null : resource.relations.get(field))
  const { emit, accept = [], lists = {}, eithers = [] } = action
  const isList = (field: string) => ['many', 'manyToMany'].includes(definition.fields[field]!.kind)
  const values = accept
    .filter((field) => !isList(field))
    .map((field) => compileAccepted(resource, field, definition.fields[field]!, name))
  return {
    name,
    resource,
    kind: kindOfAction(name, action),
    allow: action.allow,
    freshSeconds: freshSecondsOf(action.allow) ?? (isCredential(resource, name) ? credentialFreshSeconds : null),
    about: action.about,
    maxAgeSeconds: action.maxAgeSeconds ?? null,
    accept: values,
    sent: eithers.reduce<readonly Accepted[]>((sent, field) => withEither(sent, resource.fields.get(field)!), values),
    lists: accept.filter(isList).map((field) => ({
      field,
      relation: relation(field) as AcceptedList['relation'],
      min: lists[field]?.min ?? 0,
      into: lists[field]?.into ?? null,
    })),
    mayFollow: [],
    from: stateTests(resource, action.from),
    check: action.check ?? null,
    checkReads: action.check !== undefined && isAsync(action.check),
    to: action.to ?? null,
    set: Object.entries(action.set ?? {}).map(([field, value]) => ({
      column: resource.column.get(field)!,
      value: value instanceof Placeholder ? momentOf(value, resource.column.get(field)!) : value,
    })),
    renews: resource.columns.filter(({ spec }) => (spec as TokenSpec).renewedBy?.includes(name) === true),
    link: relation(action.link) as ActionModel['link'],
    unlink: relation(action.unlink) as ActionModel['unlink'],
    effect: action.effect ?? null,
    deprecated: action.deprecated ?? null,
    emit:
      emit === undefined
        ? null
        : {
            name: emit.event,
            about: emit.about,
            by: emit.by === undefined ? null : { field: emit.by, branches: branchesNamed(emit.by, resource) },
            with: emit.with ?? [],
            changed: (emit.changed ?? []).map((field) => resource.column.get(field)!),
          },
  }
}

/** Where accounts have sign-in methods, only a recent sign-in adds an API key. (contract 5.10.6) */
const isCredential = ({ name, account }: ResourceDraft, action: string): boolean =>
  name === 'ApiKey' && action === 'create' && account.methods !== null
const credentialFreshSeconds = 300

/** In place of its relations, of which one value sets all. */
function withEither(sent: readonly Accepted[], { name: field, spec, kind }: FieldModel): readonly Accepted[] {
  const { of: branches } = spec as EitherSpec
  const nullable = spec.optional === true
  const initial = nullable ? () => null : undefined
  const at = sent.findIndex((each) => branches.includes(each.field))
  const others = sent.filter((each) => !branches.includes(each.field))
  return others.toSpliced(at, 0, { field, spec, kind, column: null, nullable, initial, branches })
}

const isAsync = (callback: object): boolean => Object.prototype.toString.call(callback) === '[object AsyncFunction]'

/** `now`, or an offset from it, at the time of the write. */
const momentOf =
  ({ source }: Placeholder, { type }: Column) =>
  ({ now }: { readonly now: Date }): unknown =>
    givenValue(source as GivenSource, {}, now, type)

const kindOfAction = (name: string, { on }: ActionDefinition): ActionKind => (isUsual(name) ? name : (on ?? 'move'))

function compileAccepted(resource: ResourceDraft, field: string, spec: SpecBase, action: string): Accepted {
  const kind = kindOf(spec)
  const nullable = spec.optional === true
  const inner = spec.kind === 'argument' ? (spec as ArgumentSpec).of : spec
  const isFilled = action === 'create' && isActorDefault(spec)
  const initial = isFilled ? () => undefined : initialValue(inner) === undefined ? undefined : () => initialValue(inner)
  return { field, spec, kind, column: resource.column.get(field) ?? null, nullable, initial }
}

/** Those of `oneOf`, or the value. */
const valuesOf = (expectation: unknown): readonly unknown[] =>
  isTest(expectation) ? (expectation.on as readonly unknown[]) : [expectation]

function stateTests(resource: ResourceDraft, from: ActionDefinition['from']): readonly StateTest[] {
  if (from === undefined) return []
  if (typeof from === 'string' || Array.isArray(from)) {
    return [{ column: resource.state!, values: [from].flat(), present: null }]
  }
  return Object.entries(from).map(([field, value]) => ({
    column: resource.column.get(field)!,
    ...(typeof value === 'object' && value !== null && 'present' in value
      ? { values: null, present: value.present === true }
      : { values: valuesOf(value), present: null }),
  }))
}
