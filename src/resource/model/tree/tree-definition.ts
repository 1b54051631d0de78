// Expands `tree: true` into an ordinary list: the records above each record, itself included. Later stages know no trees. (contract
// 10.3)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { isTreeField } from '../../field/relation.ts'
import type { Definition, ServiceDefinition } from '../../language/definition.ts'
import { aboveList } from '../../naming/casing.ts'

/** Returns the same service if it has no trees. A tree that contradicts something has no list. */
export const withTrees = (service: ServiceDefinition): ServiceDefinition =>
  Object.values(service.resources).some((each) => treeFields(each).length > 0)
    ? getOrInsert(expansions, service, expand)
    : service
const expansions = new WeakMap<ServiceDefinition, ServiceDefinition>()

function expand(service: ServiceDefinition): ServiceDefinition {
  const entries = Object.entries(service.resources).map(([key, each]) => [key, expandResource(each)])
  return { ...service, resources: Object.fromEntries(entries) }
}

function expandResource(definition: Definition): Definition {
  const lists = treeFields(definition).map((parent) => [
    aboveList(parent),
    { kind: 'manyToMany', target: definition.name, by: '', tree: parent },
  ])
  return lists.length === 0
    ? definition
    : { ...definition, fields: { ...definition.fields, ...Object.fromEntries(lists) } }
}

const treeFields = ({ name, fields }: Definition): readonly string[] =>
  Object.keys(fields).filter((field) => isTreeField(fields[field]!, name))
