// Runs in a browser: the typed client with passkeys of the device.

import { createClient } from 'duet-api/client'
import type { api } from '../../../reference/service.ts'

const page = globalThis as unknown as { readonly location: { readonly origin: string }; client: unknown }
const client = createClient<typeof api>(page.location.origin, {
  version: 'v2',
  json: { preferences: true, details: true },
})
page.client = client
export type PasskeyPage = typeof client
