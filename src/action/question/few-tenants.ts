// Fails if the caller is in more tenants than one list reads from. (contract 10.2.16)

import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { TooManyTenants } from '../../read-plan/run.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { Program } from '../../store/store.ts'
import { replaceError } from '../replace-error.ts'

export const ofFewTenants = <T>(found: Program<T>, refuse: () => Failure): Program<T> =>
  replaceError(found, (error) => (error instanceof TooManyTenants ? refuse() : error))

/** The failure is VALIDATION_ERROR with the filter that names a tenant. */
export function ofNamedTenant<T>(
  found: Program<T>,
  { resource, vocabulary }: { readonly resource: ResourceModel; readonly vocabulary: Pick<Vocabulary, 'filter'> },
  { listTenants }: Pick<Limits, 'listTenants'>,
): Program<T> {
  return ofFewTenants(found, () => {
    const message = `You are in more than ${listTenants} of them: name one.`
    const field = vocabulary.filter(resource, resource.tenants[0]!.field)
    return new Failure('VALIDATION_ERROR', { details: [{ field, message }] })
  })
}
