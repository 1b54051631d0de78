// The types that openapi-typescript makes of a document. It is written against the programming interface that TypeScript
// had before version 7, so it is given one.

import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
})
const { default: makeTypes, astToString } = await import('openapi-typescript')

/** The text of a module with the types `paths`, `components` and `operations`. */
export const typesOf = async (document: object): Promise<string> =>
  astToString(await makeTypes(JSON.stringify(document)))
