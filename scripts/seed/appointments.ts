import { stableId } from '~/features/exchange/imports/stable-id'
import { clinicDepartments } from './clinics'
import type { SeedRow, SeedSubject } from './subject'
import { DAY } from './people'
import { seededRandom } from './random'

const reasons = ['doctor-visit', 'follow-up', 'checkup', 'investigation', 'counselling'] as const
const QUARTER = 15 * 60_000

/** One appointment that has been and one that is to come, as a desk that books by the quarter of an hour keeps them. */
export function buildAppointments({ seed, person, today }: SeedSubject): SeedRow[] {
  const random = seededRandom(seed, 'appointments', String(person.number))
  const { clinic, number } = person
  const booked = (day: Date, i: number, status: string): SeedRow => {
    const timestamp = new Date(day.getTime() + 6 * 4 * QUARTER + random.whole(0, 31) * QUARTER)
    const made = new Date(
      Math.min(today.getTime(), timestamp.getTime()) - random.whole(2, 20) * DAY,
    )
    const [medicine, , laboratory] = clinicDepartments(clinic.id)
    const through = random.chance(0.25) ? [laboratory, medicine] : [medicine]
    return {
      id: stableId('seed', seed, 'appointment', String(number), String(i)),
      patient_id: person.id,
      clinic_id: clinic.id,
      provider_id: random.chance(0.85) ? random.pick(clinic.staff).id : null,
      timestamp,
      duration: random.pick([15, 30, 30, 45, 60]),
      reason: random.pick(reasons),
      status,
      departments: through.map(({ id, name }) => ({
        id,
        name,
        seen_at: status === 'completed' ? timestamp.getTime() : null,
        seen_by: null,
        status: status === 'completed' || status === 'cancelled' ? status : 'pending',
      })),
      created_at: made,
      updated_at: made,
    }
  }
  const past = new Date(today.getTime() - random.whole(1, 365) * DAY)
  const ahead = new Date(today.getTime() + (random.chance(0.05) ? 0 : random.whole(1, 90)) * DAY)
  const been = booked(
    past,
    0,
    random.pick(['completed', 'completed', 'completed', 'cancelled', 'confirmed']),
  )
  const coming = booked(ahead, 1, random.pick(['pending', 'confirmed', 'confirmed']))
  // the demo also shows patients who are overdue
  return seed === 'demo' && number % 2 === 0 ? [been] : [been, coming]
}
