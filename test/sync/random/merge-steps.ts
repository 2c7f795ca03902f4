import { sql } from 'kysely'
import type { Chance } from './chance'
import { described } from './phone-steps'
import { call, living } from './web-steps'
import { QUESTIONS, type World } from './world'

/** Two records turn out to be of one person. */
export async function mergeOnWeb(world: World, random: Chance) {
  const patients = await living(world, 'patients')
  const winnerId = random.early(patients)
  const loserId = random.early(patients.filter((id) => id !== winnerId))
  if (!winnerId || !loserId) return 'no patient to merge'
  const choices = random.happens(0.5)
    ? { hometown: 'loser', [`answers.${QUESTIONS[0]}`]: 'loser' }
    : {}
  const input = { id: world.id(), winnerId, loserId, choices }
  const { said } = await call(world, random.one(world.web)!, 'patients.merge', input)
  return `${described('patients', input)}: ${said}`
}

/** They were not, after all. */
export async function unmergeOnWeb(world: World, random: Chance) {
  const { rows } = await sql<{
    id: string
    what: string
  }>`select id, winner_id || ' and ' || loser_id as what
    from patient_merges where unmerged_at is null order by id`.execute(world.db)
  const merge = random.one(rows)
  if (!merge) return 'nothing to take apart'
  const { said } = await call(world, world.web[0]!, 'patients.unmerge', { mergeId: merge.id })
  return `${merge.what}: ${said}`
}
