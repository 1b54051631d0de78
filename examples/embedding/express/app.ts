import type { Handler } from 'duet-api'
import express, { type Express } from 'express'

/** An Express app with a route of its own. What is below the base path of the handler is answered by it. */
export function createApp(handler: Handler): Express {
  const app = express()
  // Before anything that reads bodies: a body can be read once.
  app.use(handler.listener)
  app.use(express.json())
  app.get('/about', (_request, response) => {
    response.json({ about: 'a route of Express' })
  })
  return app
}
