import { createHandler } from 'duet-api'
import { api } from './service.ts'

/**
 * A proxy before Next names the client; Next itself does not say whose socket it was. Next ends its processes as it likes: no
 * workers here. Made at the first request, for `next build` loads this file as well.
 */
let opening: ReturnType<typeof createHandler> | undefined

export async function answer(request: Request): Promise<Response> {
  opening ??= createHandler(api, {
    environment: process.env,
    basePath: '/backend',
    clientAddress: ({ headers }) => headers.get('x-real-ip'),
    workers: false,
  })
  const { fetch } = await opening
  return fetch(request)
}
