package audit

import (
	"regexp"
	"strings"
)

// Masked stands for what was taken out.
const Masked = "***"

// secrets are words that carry a secret by their shape. They err on the side of
// masking: a log that hides a harmless word still tells what was decided. Group
// 1, where there is one, is kept.
var secrets = []*regexp.Regexp{
	// keys of services, by their published prefixes
	regexp.MustCompile(`\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b`),
	regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})`),
	regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:ant|proj|live|test|or|svcacct)[-_A-Za-z0-9]{12,}`),
	regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`),
	regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}`),
	regexp.MustCompile(`\b(?:npm_|pypi-|hf_|dop_v1_|shpat_|AIza|ya29\.|SG\.|glsa_|dckr_pat_|AGE-SECRET-KEY-)[A-Za-z0-9_.-]{16,}`),
	regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), // JSON web token
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
	// user:password@ in a URL
	regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'"]*:)[^\s/@'"]+@`),
	// headers
	regexp.MustCompile(`(?i)(\b(?:proxy-)?authorization:\s*(?:bearer|basic|token|digest)?\s*)[^\s'"]+`),
	regexp.MustCompile(`(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}`),
	regexp.MustCompile(`(?i)(\b(?:x-)?(?:api|auth|access)[-_]?(?:key|token)\s*:\s*)[^\s'"]+`),
	// NAME=value, --name=value, --name value, name: value
	regexp.MustCompile(`(?i)((?:^|[\s;&|('"{,?-])[A-Za-z0-9_-]*(?:passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|auth)[A-Za-z0-9_-]*["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s;&|'"]+)`),
	regexp.MustCompile(`(?i)(\s--?(?:passw(?:or)?d|passwd|passphrase|pass|secret|token|api-?key|access-?key|secret-?key|oauth2-bearer)\s+)(?:"[^"]*"|'[^']*'|[^\s;&|'"-][^\s;&|'"]*)`),
	// curl -u user:password, sshpass -p, mysql -p glued
	regexp.MustCompile(`(\s(?:-u|--user|--proxy-user)[\s=]*["']?[^\s:'"]+:)[^\s'"]+`),
	regexp.MustCompile(`(\bsshpass\s+-p\s*)[^\s]+`),
	regexp.MustCompile(`(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^;&|\n]*?\s-p)[^\s;&|]+`),
}

// schemes stand between a header's name and its secret (RFC 9110, section 11).
var schemes = map[string]bool{"bearer": true, "basic": true, "token": true, "digest": true}

// Mask takes out what looks like a secret. PWD and OLDPWD are directories.
func Mask(s string) string {
	if s == "" {
		return s
	}
	for _, re := range secrets {
		if !re.MatchString(s) {
			continue
		}
		s = re.ReplaceAllStringFunc(s, func(hit string) string {
			m := re.FindStringSubmatch(hit)
			if len(m) < 2 {
				return Masked
			}
			name := strings.TrimLeft(m[1], " \t\n;&|('\"{,?-")
			if strings.HasPrefix(name, "PWD=") || strings.HasPrefix(name, "OLDPWD=") {
				return hit
			}
			if schemes[strings.ToLower(hit[len(m[1]):])] {
				return hit // the secret follows, and is masked by itself
			}
			end := ""
			if strings.HasSuffix(hit, "@") && strings.Contains(m[1], "://") {
				end = "@"
			}
			return m[1] + Masked + end
		})
	}
	return s
}

func (e *Entry) mask() {
	if len(e.Line) > maxLine {
		e.Line = e.Line[:maxLine] + "…"
	}
	for _, s := range []*string{&e.Line, &e.Text, &e.Error} {
		*s = Mask(*s)
	}
	findings := make([]Finding, len(e.Findings))
	for i, f := range e.Findings {
		f.Path, f.Typed, f.Why = Mask(f.Path), Mask(f.Typed), Mask(f.Why)
		findings[i] = f
	}
	if e.Findings != nil {
		e.Findings = findings
	}
}
