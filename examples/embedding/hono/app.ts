import type { Handler } from 'duet-api'
import { Hono } from 'hono'

/** A Hono app with a route of its own. What is below the base path is answered by the handler. */
export function createApp<Bindings extends object>(
  handler: Handler<Bindings>,
  basePath: string,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>()
  app.get('/about', (context) => context.json({ about: 'a route of Hono' }))
  app.all(`${basePath}/*`, (context) => handler.fetch(context.req.raw, context.env))
  return app
}
