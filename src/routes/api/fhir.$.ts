import { createFileRoute } from '@tanstack/react-router'
import { respondFhir } from '~/fhir/respond.server'

const answer = ({ request }: { request: Request }) => respondFhir(request)

/** FHIR R4 (docs/exchange.md). */
export const Route = createFileRoute('/api/fhir/$')({
  server: {
    handlers: {
      GET: answer,
      HEAD: answer,
      POST: answer,
      PUT: answer,
      PATCH: answer,
      DELETE: answer,
    },
  },
})
