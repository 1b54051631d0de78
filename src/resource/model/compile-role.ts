// The permissions that rules name, and the permissions that roles grant.

import type { ServiceDefinition } from '../language/definition.ts'
import type { RuleNode } from '../language/rule.ts'
import { type Permission, permission } from '../naming/permission.ts'
import type { Model, ResourceModel } from './model.ts'

/** Every permission that the rules of a resource ask for. */
export function permissionsOf(resource: ResourceModel): readonly Permission[] {
  const words: string[] = []
  const visit = (rule: RuleNode): void => {
    if (rule.rule === 'may')
      words.push(...(rule.mine === null ? [rule.verb] : [`${rule.verb}_own`, `${rule.verb}_any`]))
    if (rule.rule === 'may' && rule.mine !== null) visit(rule.mine)
    if (rule.rule === 'anyOf' || rule.rule === 'allOf') rule.rules.forEach(visit)
    if (rule.rule === 'not') visit(rule.of)
  }
  for (const action of resource.actions.values()) visit(action.allow)
  for (const query of resource.queries.values()) visit(query.allow)
  for (const { read, write, filter } of resource.protect.values()) {
    for (const rule of [read, write, filter]) if (rule !== undefined) visit(rule)
  }
  return words.map((word) => permission(resource.path, word))
}

/** The permissions of each role, those of the roles it includes among them. */
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
