// All tests of clauses.

import type { ClauseTest, Define } from '../kit/clause.ts'
import { defineAccess } from './access.ts'
import { defineChildren } from './children.ts'
import { defineConditions } from './conditions.ts'
import { defineErrors } from './errors.ts'
import { defineEvents } from './events.ts'
import { defineGraphql } from './graphql.ts'
import { defineHeaders } from './headers.ts'
import { defineIdempotency } from './idempotency.ts'
import { defineKeys } from './keys.ts'
import { defineLimits } from './limits.ts'
import { defineLists } from './lists.ts'
import { defineRequests } from './requests.ts'
import { defineSearches, defineSummaries } from './searches.ts'
import { defineSignIn } from './sign-in.ts'
import { defineValues } from './values.ts'
import { defineVersions } from './versions.ts'
import { defineWrites } from './writes.ts'

const tests: ClauseTest[] = []
const define: Define = (clause, needs, run) => void tests.push({ clause, needs, run })

for (const defineAll of [
  defineRequests,
  defineHeaders,
  defineErrors,
  defineValues,
  defineLists,
  defineConditions,
  defineSearches,
  defineSummaries,
  defineWrites,
  defineKeys,
  defineChildren,
  defineIdempotency,
  defineGraphql,
  defineSignIn,
  defineEvents,
  defineAccess,
  defineLimits,
  defineVersions,
])
  defineAll(define)

export const clauseTests: readonly ClauseTest[] = tests
