import { expect, test } from 'vitest'
import { playRoundTrips, ROUND_TRIPS } from '../../../test/fhir-rows'

test.each(ROUND_TRIPS)('what FHIR writes of $type is what it reads', (trip) => {
  expect(() => playRoundTrips(trip, 200)).not.toThrow()
})
