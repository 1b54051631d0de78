// Ajv as the tests use it: strict, so that a schema with a slip in it is refused.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const ajv = new Ajv2020({ strict: true, allErrors: true })
formats.default(ajv)

/** Compiles a schema of draft 2020-12; throws if it has an unknown keyword, an unknown format, or contradicts itself. */
export const compileSchema = (schema: object): ValidateFunction => ajv.compile(schema)
