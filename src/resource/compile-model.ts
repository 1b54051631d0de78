// From a service definition to its model: names resolved, relations joined, permissions gathered.

import { columnName, kebab, linkTable, pluralOf, snake } from './casing.ts'
import { compileQuery } from './compile-query.ts'
import {
  type ActionDefinition,
  accountName,
  type ComputedDefinition,
  type Definition,
  definitionOf,
  type ServiceDefinition,
} from './definition.ts'
import type { FieldKind, SpecBase } from './field/field.ts'
import './field/kinds.ts'
import { initialValue, kindOf } from './field/registry.ts'
import { idLengthMax, type ManySpec, type OneSpec } from './field/relation.ts'
import type { ArgumentSpec } from './field/secret.ts'
import type { FilterTest } from './filter.ts'
import type {
  Accepted,
  AccountsModel,
  ActionKind,
  ActionModel,
  Column,
  FieldModel,
  FilterModel,
  Link,
  Model,
  QueryModel,
  Relation,
  ResourceModel,
  StateTest,
  VersionModel,
} from './model.ts'
import { type Permission, permission } from './permission.ts'
import type { AnyResource } from './resource.ts'
import type { RuleNode } from './rule.ts'
import type { Service } from './service.ts'

type Draft<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Works out the model. Expects a definition that `contradictions` found nothing to say about. Of the `own` resources,
 * which the library needs, those that the service does not list have tables and no routes.
 */
export function compileModel(service: Service<unknown>, own: readonly AnyResource[] = []): Model {
  const definition = definitionOf(service)
  const listed = Object.values(definition.resources)
  const isListed = ({ name }: { readonly name: string }) => listed.some((each) => each.name === name)
  const definitions = [...listed, ...(own as unknown as readonly Definition[]).filter((each) => !isListed(each))]
  const drafts = new Map(definitions.map((each) => [each.name, draft(each)]))
  const links: Link[] = []
  for (const each of definitions) joinRelations(each, drafts, links)
  for (const each of definitions) completeFields(drafts.get(each.name)!, each)
  for (const each of definitions) completeActions(drafts.get(each.name)!, each)
  const all = [...drafts.values()] as ResourceModel[]
  const resources = all.filter(isListed)
  const permissions = new Set(resources.flatMap(permissionsOf))
  return {
    resources,
    unlisted: all.filter((each) => !isListed(each)),
    byName: new Map(all.map((each) => [each.name, each])),
    byPath: new Map(resources.map((each) => [each.path, each])),
    byPrefix: new Map(resources.map((each) => [each.prefix, each])),
    links,
    accounts: accounts(drafts.get(accountName(definition)) as ResourceModel, definition.accounts),
    permissions,
    roles: grants(definition, drafts, permissions),
    versions: versions(definition),
  }
}

function draft(definition: Definition): Draft<ResourceModel> {
  const plural = pluralOf(definition)
  const columns = [
    makeColumn('id', { kind: 'id' }, 'text'),
    ...Object.entries(definition.fields).flatMap(([name, spec]) => {
      const type = kindOf(spec).column
      return type === null ? [] : [makeColumn(name, spec, type)]
    }),
    makeColumn('createdAt', { kind: 'timestamp' }, 'timestamp'),
    makeColumn('updatedAt', { kind: 'timestamp' }, 'timestamp'),
  ]
  return {
    name: definition.name,
    plural,
    path: kebab(plural),
    table: snake(plural),
    prefix: definition.prefix,
    columns,
    column: new Map(columns.map((each) => [each.field, each])),
    fields: new Map(),
    relations: new Map(),
    referrers: [],
    actions: new Map(),
    filters: new Map(),
    queries: new Map(),
    state: columns.find((each) => each.spec.kind === 'state') ?? null,
    read: undefined as never,
    sorts: new Set(['createdAt', ...(definition.sort ?? [])]),
    protect: new Map(Object.entries(definition.protect ?? {})),
    masked: Object.entries(definition.protect ?? {}).flatMap(([name, each]) => (each.read === undefined ? [] : [name])),
    invariants: (definition.invariants ?? []).map(({ invariant, like }) => ({ like, sentence: invariant })),
    batch: definition.batch !== false,
    result: definition.result === true,
    notFound: (definition.notFound ?? 'NOT_FOUND') as ResourceModel['notFound'],
    olderNames: new Map(
      Object.entries(definition.versions ?? {}).map(([version, names]) => [version, new Map(Object.entries(names))]),
    ),
    isPublic: definition.actions['read']?.allow.rule === 'anyone',
  }
}

function makeColumn(field: string, spec: SpecBase, type: Column['type']): Column {
  return {
    field,
    name: columnName(field, spec.kind),
    spec,
    type,
    nullable: spec.optional === true || spec.kind === 'token',
    unique: spec.unique === true || spec.kind === 'token',
    secret: spec.kind === 'password' || spec.kind === 'token',
  }
}

function joinRelations(definition: Definition, drafts: ReadonlyMap<string, Draft<ResourceModel>>, links: Link[]): void {
  const holder = drafts.get(definition.name)! as ResourceModel
  const relations = holder.relations as Map<string, Relation>
  for (const [field, spec] of Object.entries(definition.fields)) {
    if (spec.kind === 'one') {
      const target = drafts.get((spec as OneSpec).target)! as ResourceModel
      const onDelete = spec.optional ? 'clear' : ((spec as OneSpec).onDelete ?? 'cascade')
      const relation = { kind: 'one', field, target, column: holder.column.get(field)!, onDelete } as const
      relations.set(field, relation)
      ;(target.referrers as { holder: ResourceModel; relation: typeof relation }[]).push({ holder, relation })
    }
  }
  for (const [field, spec] of Object.entries(definition.fields)) {
    if (spec.kind === 'many') {
      const target = drafts.get((spec as ManySpec).target)! as ResourceModel
      const by = (spec as ManySpec).by
      // The other end may not have been joined yet; its relation is filled in on first use of the model.
      relations.set(field, {
        kind: 'many',
        field,
        target,
        get by() {
          return target.relations.get(by) as Relation & { kind: 'one' }
        },
      })
    }
    if (spec.kind === 'manyToMany') {
      const target = drafts.get((spec as ManySpec).target)! as ResourceModel
      const known = target.relations.get((spec as ManySpec).by)
      if (known?.kind === 'manyToMany') {
        relations.set(field, { kind: 'manyToMany', field, target, link: known.link, side: 'target' })
      } else {
        const link = { table: linkTable(holder.table, field), source: holder, target }
        links.push(link)
        relations.set(field, { kind: 'manyToMany', field, target, link, side: 'source' })
      }
    }
  }
}

/** Ids are made, never sent. */
const idKind: FieldKind = {
  column: 'text',
  options: [],
  embeddable: false,
  graphql: 'ID',
  check: (_, _value, problem) => problem('', 'Is made by the service.'),
  schema: () => ({ type: 'string', maxLength: idLengthMax }),
}

function completeFields(resource: Draft<ResourceModel>, definition: Definition): void {
  const fields = resource.fields as Map<string, FieldModel>
  const add = (name: string, spec: SpecBase, kind: FieldKind, computed: FieldModel['computed'] = null) => {
    const column = computed === null ? (resource.column.get(name) ?? null) : null
    fields.set(name, { name, spec, kind, column, nullable: spec.optional === true, computed })
  }
  add('id', { kind: 'id' }, idKind)
  for (const [name, spec] of Object.entries(definition.fields)) {
    if (spec.kind !== 'password' && spec.kind !== 'token' && spec.kind !== 'argument') add(name, spec, kindOf(spec))
  }
  for (const [name, each] of Object.entries(definition.computed ?? {}))
    add(name, each.as, kindOf(each.as), computed(resource, each))
  for (const name of ['createdAt', 'updatedAt']) add(name, { kind: 'timestamp' }, kindOf({ kind: 'timestamp' }))
  const filters = resource.filters as Map<string, FilterModel>
  for (const [name, { test, on, deprecated }] of Object.entries(definition.filter ?? {})) {
    const found = filter(resource, name, test, on)
    // A filter by a field that goes goes with it.
    filters.set(name, { ...found, deprecated: deprecated ?? found.column.spec.deprecated ?? null })
  }
  const queries = resource.queries as Map<string, QueryModel>
  for (const [name, each] of Object.entries(definition.queries ?? {}))
    queries.set(name, compileQuery(name, each, resource as ResourceModel))
}

const computed = (resource: Draft<ResourceModel>, { from, make }: ComputedDefinition): FieldModel['computed'] => ({
  from: from.map((field) => resource.column.get(field)!),
  make,
})

function filter(resource: Draft<ResourceModel>, name: string, test: FilterTest, on?: string): FilterModel {
  const [field, part = null] = (on ?? name).split('.') as [string, string?]
  const column = resource.column.get(field)!
  const element = column.spec as SpecBase & { of?: SpecBase & { fields?: Readonly<Record<string, SpecBase>> } }
  const value =
    test === 'isPresent'
      ? { kind: 'boolean' }
      : test === 'contains'
        ? part === null
          ? element.of!
          : element.of!.fields![part]!
        : { ...column.spec, optional: false }
  return { name, test, column, part, value, deprecated: null }
}

function completeActions(resource: Draft<ResourceModel>, definition: Definition): void {
  const actions = resource.actions as Map<string, ActionModel>
  for (const [name, each] of Object.entries(definition.actions)) {
    actions.set(name, {
      name,
      resource: resource as ResourceModel,
      kind: kindOfAction(name, each),
      allow: each.allow,
      maxAgeSeconds: each.maxAgeSeconds ?? null,
      accept: (each.accept ?? []).map((field) => accepted(resource, field, definition.fields[field]!)),
      also: [], // filled in below: its moves may stand after it
      from: stateTests(resource, each.from),
      check: each.check ?? null,
      to: each.to ?? null,
      set: Object.entries(each.set ?? {}).map(([field, value]) => ({ column: resource.column.get(field)!, value })),
      link: (each.link === undefined ? null : resource.relations.get(each.link)) as ActionModel['link'],
      unlink: (each.unlink === undefined ? null : resource.relations.get(each.unlink)) as ActionModel['unlink'],
      effect: each.effect ?? null,
      deprecated: each.deprecated ?? null,
      emit:
        each.emit === undefined
          ? null
          : {
              name: each.emit.event,
              by: (each.emit.by === undefined ? null : resource.relations.get(each.emit.by)) as never,
            },
    })
  }
  for (const action of actions.values()) {
    ;(action as Draft<ActionModel>).also = (definition.actions[action.name]!.also ?? []).map(
      (move) => actions.get(move)!,
    )
  }
  resource.read = actions.get('read')!
}

const kindOfAction = (name: string, { on }: ActionDefinition): ActionKind =>
  ['read', 'create', 'update', 'delete'].includes(name) ? (name as ActionKind) : (on ?? 'move')

function accepted(resource: Draft<ResourceModel>, field: string, spec: SpecBase): Accepted {
  const kind = kindOf(spec)
  const nullable = spec.optional === true
  const inner = spec.kind === 'argument' ? (spec as ArgumentSpec).of : spec
  const initial = initialValue(inner) === undefined ? undefined : () => initialValue(inner)
  return { field, spec, kind, column: resource.column.get(field) ?? null, nullable, initial }
}

function stateTests(resource: Draft<ResourceModel>, from: ActionDefinition['from']): readonly StateTest[] {
  if (from === undefined) return []
  if (typeof from === 'string' || Array.isArray(from)) {
    return [{ column: resource.state!, values: [from].flat(), present: null }]
  }
  return Object.entries(from).map(([field, value]) => ({
    column: resource.column.get(field)!,
    ...(typeof value === 'object' && value !== null && 'present' in value
      ? { values: null, present: value.present === true }
      : { values: [value], present: null }),
  }))
}

function accounts(resource: ResourceModel, names: ServiceDefinition['accounts']): AccountsModel {
  const column = (field: string) => resource.column.get(field)!
  return {
    resource,
    login: column(names.login),
    password: column(names.password),
    role: column(names.role),
    status: resource.state!,
    active: names.active,
  }
}

/** Every permission that the rules of a resource ask for. */
export function permissionsOf(resource: ResourceModel): readonly Permission[] {
  const words: string[] = []
  const visit = (rule: RuleNode): void => {
    if (rule.rule === 'may')
      words.push(...(rule.mine === null ? [rule.verb] : [`${rule.verb}_own`, `${rule.verb}_any`]))
    if (rule.rule === 'may' && rule.mine !== null) visit(rule.mine)
    if (rule.rule === 'anyOf' || rule.rule === 'allOf') rule.rules.forEach(visit)
  }
  for (const action of resource.actions.values()) visit(action.allow)
  for (const query of resource.queries.values()) visit(query.allow)
  for (const { read, write, filter } of resource.protect.values()) {
    for (const rule of [read, write, filter]) if (rule !== undefined) visit(rule)
  }
  return words.map((word) => permission(resource.path, word))
}

function grants(
  definition: ServiceDefinition,
  drafts: ReadonlyMap<string, Draft<ResourceModel>>,
  all: ReadonlySet<Permission>,
): Model['roles'] {
  const byPlural = new Map([...drafts.values()].map((each) => [each.plural, each.path]))
  const roles = new Map<string, ReadonlySet<Permission>>()
  const granted = (role: string): ReadonlySet<Permission> => {
    const known = roles.get(role)
    if (known !== undefined) return known
    const said = definition.roles[role]!
    const permissions =
      said === 'everything'
        ? all
        : new Set(
            Object.entries(said).flatMap(([name, words]) =>
              name === 'includes'
                ? [...granted(words as string)]
                : [words].flat().map((word) => permission(byPlural.get(name)!, word)),
            ),
          )
    roles.set(role, permissions)
    return permissions
  }
  for (const role of Object.keys(definition.roles)) granted(role)
  return roles
}

function versions(definition: ServiceDefinition): readonly VersionModel[] {
  const entries = Object.entries(definition.versions ?? { v1: 'current' as const })
  return entries.map(([name, said]) => ({
    name,
    deprecated: said === 'current' ? null : new Date(said.deprecated),
    sunset: said === 'current' ? null : new Date(said.sunset),
  }))
}
