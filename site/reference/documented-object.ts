// Reads the comments that stand before the members of an object in a source file: what they say is said nowhere else.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ts } from '@ts-morph/common'

/** What is said of each member of the object that this file of `src/` calls by this name; empty where nothing is. */
export function readComments(path: string, objectName: string): ReadonlyMap<string, string> {
  const file = fileURLToPath(new URL(`../../src/${path}`, import.meta.url))
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const object = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((each) => [...each.declarationList.declarations])
    .find((each) => each.name.getText() === objectName)
  const literal = object?.initializer && plain(object.initializer)
  if (literal === undefined || !ts.isObjectLiteralExpression(literal)) throw new Error(`${path} has no ${objectName}.`)
  return new Map(literal.properties.map((each) => [each.name?.getText() ?? '', commentOf(each)]))
}

/** Without `as const` and `satisfies`. */
function plain(expression: ts.Expression): ts.Expression {
  return ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression)
    ? plain(expression.expression)
    : expression
}

const commentOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
