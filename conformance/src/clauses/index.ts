// All tests of clauses.

import type { ClauseTest, Define } from '../kit/clause.ts'
import { defineAccess } from './access/access.ts'
import { defineAccessCodes } from './access/access-codes.ts'
import { defineApiKeys } from './access/api-keys.ts'
import { defineCookies } from './access/cookies.ts'
import { defineSignIn } from './access/sign-in.ts'
import { defineTenants } from './access/tenants.ts'
import { defineUsers } from './access/users.ts'
import { defineChanges } from './events/changes.ts'
import { defineEvents } from './events/events.ts'
import { defineStreams } from './events/streams.ts'
import { defineWebhooks } from './events/webhooks.ts'
import { defineLimits } from './limits/limits.ts'
import { defineRateLimits } from './limits/rate-limits.ts'
import { defineConditions } from './lists/conditions.ts'
import { defineLists } from './lists/lists.ts'
import { defineOrder } from './lists/order.ts'
import { defineSearches } from './lists/searches.ts'
import { defineSummaries } from './lists/summaries.ts'
import { defineConnections } from './requests/connections.ts'
import { defineErrors } from './requests/errors.ts'
import { defineGraphql } from './requests/graphql.ts'
import { defineHeaders } from './requests/headers.ts'
import { defineRequests } from './requests/requests.ts'
import { defineVersions } from './requests/versions.ts'
import { defineIntervals } from './values/intervals.ts'
import { defineKeptNumbers } from './values/kept-numbers.ts'
import { defineKeys } from './values/keys.ts'
import { defineKinds } from './values/kinds.ts'
import { defineUnique } from './values/unique.ts'
import { defineValues } from './values/values.ts'
import { defineChildren } from './writes/children.ts'
import { defineIdempotency } from './writes/idempotency.ts'
import { defineLinks } from './writes/links.ts'
import { defineWritesByCondition } from './writes/many.ts'
import { defineTrees } from './writes/trees.ts'
import { defineWrites } from './writes/writes.ts'

const testsOf = (...all: readonly ((define: Define) => void)[]): readonly ClauseTest[] => {
  const tests: ClauseTest[] = []
  for (const defineAll of all) defineAll((clause, needs, run) => void tests.push({ clause, needs, run }))
  return tests
}

export const clauseTests = testsOf(
  defineRequests,
  defineHeaders,
  defineErrors,
  defineVersions,
  defineGraphql,
  defineConnections,
  defineValues,
  defineKinds,
  defineIntervals,
  defineKeys,
  defineUnique,
  defineKeptNumbers,
  defineLists,
  defineConditions,
  defineOrder,
  defineSearches,
  defineSummaries,
  defineWrites,
  defineWritesByCondition,
  defineIdempotency,
  defineChildren,
  defineLinks,
  defineTrees,
  defineEvents,
  defineChanges,
  defineStreams,
  defineWebhooks,
  defineAccess,
  defineAccessCodes,
  defineApiKeys,
  defineCookies,
  defineSignIn,
  defineTenants,
  defineUsers,
  defineLimits,
)

/** Those that exceed rate limits. */
export const limitTests = testsOf(defineRateLimits)
