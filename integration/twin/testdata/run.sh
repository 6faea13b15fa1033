# Runs one line in a copy of the world, alone: own mounts, processes and no network.
# Called by unshare: WORLD STAGE LOG SECONDS SHELL OPTION... -c LINE
set -eu
world=$1 stage=$2 log=$3 seconds=$4
shift 4
mount -t tmpfs -o mode=755 twin "$stage"
mkdir "$stage/.upper" "$stage/.work"
mount -t overlay -o "lowerdir=$world,upperdir=$stage/.upper,workdir=$stage/.work" twin "$stage"
mount --rbind /usr "$stage"/usr
mount -o remount,bind,ro "$stage"/usr
mount -t proc proc "$stage"/proc
for d in null zero full random urandom tty; do
  : >"$stage/dev/$d"
  mount --bind "/dev/$d" "$stage/dev/$d"
done
mkdir "$stage/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 twin "$stage/dev/pts"
ln -s pts/ptmx "$stage"/dev/ptmx
ln -s /proc/self/fd "$stage"/dev/fd
ln -s fd/0 "$stage"/dev/stdin
ln -s fd/1 "$stage"/dev/stdout
ln -s fd/2 "$stage"/dev/stderr
# -y tells the directory that a relative name starts from.
exec timeout -k 1 "$seconds" \
  strace -f -y -s 4096 --quiet=attach,personality,exit -e signal=none -e trace=%file,clone,clone3,fork,vfork,fchdir,getdents,getdents64 -o "$log" \
  chroot "$stage" /usr/bin/env -i -C /projects/app HOME=/home/u PWD=/projects/app USER=u \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@" </dev/null
