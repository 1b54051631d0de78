// All mutants.

import { access } from './access.ts'
import { graphql } from './graphql.ts'
import { lists } from './lists.ts'
import type { Mutant } from './mutant.ts'
import { requests } from './requests.ts'
import { values } from './values.ts'
import { writes } from './writes.ts'

export const mutants: readonly Mutant[] = [...access, ...graphql, ...lists, ...requests, ...values, ...writes]
