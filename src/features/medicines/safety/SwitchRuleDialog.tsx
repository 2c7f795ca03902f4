import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '~/client/api'
import { isReasonInWords } from '~/shared/reason'
import { useSay, useLanguage } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { Dialog } from '~/ui/Dialog'
import { useAction } from '~/ui/action'
import type { ListedRule, ListedTable } from './rules.server'

type Props = { table: ListedTable; rule: ListedRule; onClose: () => void }

/** Switches a rule off with a reason, or on again: for everybody who prescribes or dispenses in this installation. */
export function SwitchRuleDialog({ table, rule, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const language = useLanguage()
  const { run, pending } = useAction()
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const isOn = rule.off !== null
  const isShort = !isOn && !isReasonInWords(reason)
  async function submit(event: FormEvent) {
    event.preventDefault()
    setAsked(true)
    if (isShort) return
    const done = await run(
      () => api.safety.switchRule({ table: table.table, rule: rule.id, isOn, reason }),
      {
        success: isOn ? 'safety.rules.onDone' : 'safety.rules.offDone',
      },
    )
    if (!done) return
    await router.invalidate()
    onClose()
  }
  return (
    <Dialog onClose={onClose} title={say(isOn ? 'safety.rules.on' : 'safety.rules.off')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" fw={600}>
            <bdi>{rule.title[language]}</bdi>
          </Text>
          <Text size="sm">{say(isOn ? 'safety.rules.onLead' : 'safety.rules.offLead')}</Text>
          {!isOn && (
            <Textarea
              label={say('safety.rules.reason')}
              description={say('safety.reasonTextHint')}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              error={isAsked && isShort && say('safety.rules.reasonShort')}
              withAsterisk
              aria-required
              rows={3}
              maxLength={1000}
              dir="auto"
              data-autofocus
            />
          )}
          <Group gap="sm">
            <Button type="submit" loading={pending}>
              {say(isOn ? 'safety.rules.on' : 'safety.rules.off')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
