import programs from '~/features/care/programs/programs.json'
import schedules from '~/features/care/programs/schedules.json'
import doses from '~/features/care/programs/valid-doses.json'
import { STARTER_FILES } from '~/forms/starters'
import type { StarterText } from '~/forms/starter-file'
import live from '../tables/live-vaccines.json'

type ListName = 'programs' | 'schedules' | 'vaccines' | 'forms' | 'sets'
type OtherSource = { of?: StarterText; text: string; url?: string }
type OtherList = { date: string; sources: readonly OtherSource[] }

/** The newest form; its sources with the name of the form. */
const forms: OtherList = {
  date: STARTER_FILES.map(({ date }) => date).reduce((newest, date) =>
    date > newest ? date : newest,
  ),
  sources: STARTER_FILES.flatMap(({ name, sources }) =>
    sources.map((source) => ({ of: name, ...source })),
  ),
}

/**
 * The clinical lists beside the rules of medicines, with the sources and the date that their files
 * have. Prescription sets are written by users, and have neither.
 */
export const OTHER_LISTS: Record<ListName, OtherList | null> = {
  programs: { date: programs.date, sources: programs.sources.map((text) => ({ text })) },
  schedules: {
    date: schedules.date,
    sources: Object.values(schedules.sources).map((text) => ({ text })),
  },
  vaccines: {
    date: live.date,
    sources: [...doses.sources.map(({ text, url }) => ({ text, url })), ...live.sources],
  },
  forms,
  sets: null,
}
