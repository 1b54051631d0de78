// The permissions that rules name, and those that roles grant.

import type { ServiceDefinition } from '../../language/definition.ts'
import { within, wordsOf } from '../../language/rule/rule-parts.ts'
import { type Permission, permission } from '../../naming/permission.ts'
import type { Model, ResourceModel } from '../model.ts'
import { rulesOf } from '../rule/rule-tree.ts'

export const permissionsOf = (resource: ResourceModel): readonly Permission[] =>
  rulesOf(resource)
    .flatMap((rule) => [...within(rule)])
    .flatMap((each) => (each.rule === 'may' ? wordsOf(each) : []))
    .map((word) => permission(resource.path, word))

export function compileRoles(
  { roles }: ServiceDefinition,
  resources: Iterable<ResourceModel>,
  all: ReadonlySet<Permission>,
): Model['roles'] {
  const pathByPlural = new Map(Array.from(resources, ({ plural, path }) => [plural, path]))
  const grants = new Map<string, ReadonlySet<Permission>>()
  const permissionsOfGrant = (name: string, words: string | readonly string[]): readonly Permission[] =>
    name === 'includes'
      ? [...permissionsOfRole(words as string)]
      : name === 'acrossTenants'
        ? []
        : [words].flat().map((word) => permission(pathByPlural.get(name)!, word))
  function permissionsOfRole(role: string): ReadonlySet<Permission> {
    const existing = grants.get(role)
    if (existing !== undefined) return existing
    const grant = roles[role]!
    const permissions =
      grant === 'everything'
        ? all
        : new Set(Object.entries(grant).flatMap(([name, words]) => permissionsOfGrant(name, words)))
    grants.set(role, permissions)
    return permissions
  }
  for (const role of Object.keys(roles)) permissionsOfRole(role)
  return grants
}
