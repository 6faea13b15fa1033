# Builds the world the lines run in, below the current directory: a project in
# /projects/app, and all that is outside of it. Run once, then copied for each line.
set -eu
mkdir -p dev etc/app.d etc/ssl home/u/notes home/u/.ssh home/u/bin opt/tool/bin proc root run srv/data/deep tmp usr var/log var/tmp
mkdir -p projects/app/src/lib projects/app/docs projects/app/scripts projects/other/dir projects/other/src projects/lib
chmod 1777 tmp var/tmp
for l in bin sbin lib lib32 lib64 libx32; do [ -e "/$l" ] && ln -s "usr/$l" "$l"; done

# What libraries ask of /etc.
printf 'root:x:0:0:root:/root:/bin/bash\nu:x:1000:1000::/home/u:/bin/bash\nw:x:1001:1001::/srv/w:/bin/bash\n' >etc/passwd
printf 'root:x:0:\nu:x:1000:\n' >etc/group
printf 'passwd: files\ngroup: files\nhosts: files\n' >etc/nsswitch.conf
printf '127.0.0.1 localhost\n' >etc/hosts
cp /etc/ld.so.cache etc/ 2>/dev/null || :
[ -d /etc/alternatives ] && cp -a /etc/alternatives etc/

# The outside.
printf 'secret\n' >etc/secret
printf 'a=1\nb=2\n' >etc/app.conf
printf 'x\n' >etc/app.d/one.conf
printf 'y\n' >etc/app.d/two.conf
printf 'pem\n' >etc/ssl/cert.pem
printf 'key\n' >home/u/.ssh/id_rsa
printf 'note\n' >home/u/notes/todo.txt
printf 'set -o vi\n' >home/u/.profile
printf 'export TOKEN=1\n' >home/u/env.sh
printf '#!/bin/sh\necho tool\n' >opt/tool/bin/tool
printf '#!/bin/sh\necho mine\n' >home/u/bin/mine
printf 'data\n' >srv/data/a.txt
printf 'data\n' >srv/data/b.txt
printf 'deep\n' >srv/data/deep/c.txt
printf 'line 1\nline 2\nline 3\n' >var/log/app.log
printf 'other\n' >projects/other/secret.txt
printf 'int x;\n' >projects/other/src/x.c
printf 'all:\n\techo made >made.txt\n' >projects/other/Makefile
printf 'x=1\n' >projects/other/env.sh
printf '{"a": [1, 2]}\n' >projects/other/data.json
printf 'one\ntwo\n' >projects/lib/list
chmod 755 opt/tool/bin/tool home/u/bin/mine

# The project.
cd projects/app
printf 'readme\n' >README.md
printf 'package main\n' >src/main.go
printf 'int main(void) { return 0; }\n' >src/main.c
printf 'lib\n' >src/lib/util.txt
printf 'doc\n' >docs/a.md
printf 'doc b\n' >'docs/b c.md'
printf 'b\na\n' >data.txt
printf '{"k": "v"}\n' >data.json
printf '/etc/secret\n/srv/data/a.txt\n' >list.txt
printf 'cat /etc/secret\n' >scripts/reads.sh
printf '#!/bin/sh\necho run\n' >scripts/run.sh
printf 'all:\n\t@echo all\n' >Makefile
chmod 755 scripts/run.sh
ln -s /etc link_etc
ln -s /etc/secret link_secret
ln -s .. link_up
ln -s src link_in
ln -s ../other link_other
ln -s /srv/none link_dangling
export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1
git init -q -b main --template= .
git add README.md src docs
git config user.name u
git config user.email u@localhost
git commit -q -m start
cd ../other
git init -q -b main --template= .
git add secret.txt
git config user.name u
git config user.email u@localhost
git commit -q -m start
touch -d 2020-01-01 ../../srv/data/a.txt # older than what cp -u brings
cd ../..
tar -cf projects/app/in.tar -C projects/app README.md src
tar -cf srv/out.tar -C srv data
gzip -c projects/app/data.txt >projects/app/data.txt.gz
gzip -c srv/data/a.txt >srv/a.txt.gz
