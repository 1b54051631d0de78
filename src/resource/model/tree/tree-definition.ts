// Expands `tree: true` into an ordinary list: the records above each record, itself included. Later stages know no trees. (contract
// 10.3)

import { isTreeField } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import { aboveList } from '../../naming/casing.ts'
import { createExpansion } from '../expand-resources.ts'

/** Returns the same service if it has no trees. A tree that contradicts something has no list. */
export const withTrees = createExpansion((each) => treeFields(each).length > 0, expandResource)

function expandResource(definition: Definition): Definition {
  const lists = treeFields(definition).map((parent) => [
    aboveList(parent),
    { kind: 'manyToMany', target: definition.name, by: '', tree: parent },
  ])
  return { ...definition, fields: { ...definition.fields, ...Object.fromEntries(lists) } }
}

const treeFields = ({ name, fields }: Definition): readonly string[] =>
  Object.keys(fields).filter((field) => isTreeField(fields[field]!, name))
