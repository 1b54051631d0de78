import type { Handler } from 'duet-api'
import fastify, { type FastifyInstance } from 'fastify'

/** A Fastify app with a route of its own. What is below the base path is answered by the handler. */
export function createApp(handler: Handler, basePath: string): FastifyInstance {
  const app = fastify()
  app.get('/about', () => ({ about: 'a route of Fastify' }))
  app.register((scope, _options, done) => {
    // Here bodies are left for the handler to read.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, parsed) => parsed(null))
    scope.all(`${basePath}/*`, (request, reply) => {
      reply.hijack()
      handler.listener(request.raw, reply.raw)
    })
    done()
  })
  return app
}
