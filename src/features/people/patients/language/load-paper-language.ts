import { api } from '~/client/api'
import { loadMessages } from '~/ui/messages'

/** The language of a patient's paper, with the messages that the paper is written in. */
export async function loadPaperLanguage(patientId: string) {
  const paper = await api.patients.paperLanguage({ patientId })
  const language = paper.language ?? paper.clinicLanguage
  if (language) await loadMessages(language)
  return paper
}
