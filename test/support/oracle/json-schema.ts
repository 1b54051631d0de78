// Ajv as the tests ask it: strict, so that a schema with a slip in it is refused.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Compiles a schema of draft 2020-12; throws where it has an unknown keyword, an unknown format, or contradicts itself. */
export function compileSchema(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  formats.default(ajv)
  return ajv.compile(schema)
}
