import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import classes from './TwoFactor.module.css'

/**
 * Shown once. Printed from a window of their own, so that nothing else of the screen is on the
 * paper.
 */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const say = useSay()
  const title = `${say('shell.product')}: ${say('twoFactor.codesTitle')}`
  return (
    <Stack>
      <Text size="sm">{say('twoFactor.codesText')}</Text>
      <ol className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => print(title, codes)}
        >
          {say('twoFactor.print')}
        </Button>
        <Button
          component="a"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent([title, '', ...codes, ''].join('\r\n'))}`}
          download="sanad-recovery-codes.txt"
        >
          {say('twoFactor.download')}
        </Button>
        <Button onClick={onKept}>{say('twoFactor.kept')}</Button>
      </Group>
    </Stack>
  )
}

function print(title: string, codes: string[]) {
  const frame = document.createElement('iframe')
  frame.hidden = true
  document.body.append(frame)
  const page = frame.contentDocument!
  const heading = page.createElement('h1')
  heading.textContent = title
  const list = page.createElement('pre')
  list.textContent = codes.join('\n')
  page.body.append(heading, list)
  frame.contentWindow!.addEventListener('afterprint', () => frame.remove())
  frame.contentWindow!.print()
}
