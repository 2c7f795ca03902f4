import { isNoAnswer } from '~/shared/no-answer'
import { isObject } from '~/shared/object'

/**
 * Whether the app's screen of a form showed the held answer to the user who sent the other one. That screen
 * (`app/screens` of the published source) has no files, fills each box by the name of its question, and takes 0 and
 * false, and medicines and diagnoses that are no list, for none. It saves as empty what it does not show.
 */
export function isAnswerShown(held: unknown, sent: unknown): boolean {
  if (!isObject(held) || !isObject(sent)) return true
  const isEmptied = isNoAnswer(sent['value'])
  const { value } = held
  if (hasText(held['name']) && hasText(sent['name']) && held['name'] !== sent['name']) return false
  if (isListed(sent) && !Array.isArray(value)) return isNoAnswer(value)
  return !isEmptied || !(isFile(held) || isFile(sent) || value === 0 || value === false)
}

type Entry = Record<string, unknown>
const isFile = ({ fieldType, inputType }: Entry) => fieldType === 'file' || inputType === 'file'
const isListed = ({ fieldType }: Entry) => fieldType === 'medicine' || fieldType === 'diagnosis'
const hasText = (name: unknown) => typeof name === 'string' && name !== ''
